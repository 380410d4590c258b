import type { MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { FOLLOW_UP_AT, followUpEvents } from '@app/testing';
import { followUpOf, followUpWork, orderWork } from './order-work';

const stream = 'payment-x' as StreamName;
const merchant = 'acme' as MerchantLogin;
const workOf = (event: Parameters<typeof orderWork>[0]['event']) => orderWork({ stream, metadata: { merchant }, event });
const { accepted, started, unknown, approved, declined, failed, settled, conflict } = followUpEvents;

describe('the agenda of follow-ups', () => {
  it('has each accepted one at once, beside its order and the others', () => {
    const item = { key: 'payment-x#2', stream, task: 'follow-up', dueAt: FOLLOW_UP_AT, merchant, lane: 'acme/sim-a' };
    expect(workOf(accepted({ number: 2 }))).toEqual([{ kind: 'due', item }]);
    expect(followUpOf(item)).toBe(2);
  });

  it.each([
    ['payment-x', undefined],
    ['payment-x#1', 1],
    ['payment-x#250', 250],
    ['payment-x#025', undefined],
    ['payment-x#25x', undefined],
    ['payment-x#', undefined],
  ])('reads from the key %s the follow-up %s', (key, number) => expect(followUpOf({ key })).toBe(number));

  it.each([approved(), declined(), failed(), settled()])('has nothing of a follow-up left after $type', (event) => {
    expect(workOf(event)).toEqual([{ kind: 'done', key: 'payment-x#1' }]);
  });

  it('has an inquiry one second after a start, beside what waits to be sent', () => {
    const dueAt = followUpEvents.started().data.startedAt + 1_000;
    const item = { key: 'payment-x#1', stream, task: 'follow-up', dueAt, merchant, lane: 'acme/follow-ups inquiries' };
    expect(workOf(started())).toEqual([{ kind: 'due', item }]);
  });

  it.each([unknown(), conflict()])('is not changed by $type: the reactor decides on the next inquiry', (event) => {
    expect(workOf(event)).toEqual([]);
  });

  it('throws at an event type that no case knows', () => {
    expect(() => workOf({ type: 'UnheardOf', data: {} } as never)).toThrow(/^no case for/);
    expect(() => followUpWork(stream, merchant, { type: 'UnheardOf', data: {} } as never)).toThrow(/^no case for/);
  });
});
