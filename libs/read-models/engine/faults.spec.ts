import { BrokenChain, UndecodableEvent, type StoredEvent } from '@app/event-store';
import { errorOf, thrownOf } from '../thread/projecting.messages';
import { CannotApply, errorText } from './faults';

const EVENT = { stream: 'payment-a', revision: 3n, position: 9 } as unknown as StoredEvent;
const across = (error: unknown): Error => errorOf(structuredClone(thrownOf(error)));

describe('errorText', () => {
  it.each([
    [new CannotApply('no release knows it'), 'CannotApply: no release knows it'],
    [new BrokenChain(EVENT, 'revision 2 is missing'), 'BrokenChain: payment-a revision 3 (position 9): revision 2 is missing'],
    [new UndecodableEvent('no schema of OrderLost'), 'UndecodableEvent: no schema of OrderLost'],
  ])('names the cause, before and after transfer between threads (case %#)', (error, text) => {
    expect(errorText(error)).toEqual(text);
    expect(errorText(across(error))).toEqual(text);
  });

  it('contains only the name and code of any other error, since its message may contain data', () => {
    expect(errorText(new TypeError('cannot read "Ann"'))).toBe('TypeError');
    expect(errorText(Object.assign(new Error('row of Ann'), { errcode: 19 }))).toBe('Error 19');
    expect(errorText(Object.assign(new Error('row of Ann'), { code: '23505' }))).toBe('Error 23505');
    expect(errorText('Ann')).toBe('Error');
  });
});
