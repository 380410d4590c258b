import type { MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { FOLLOW_UP_AT, followUpEvents } from '@app/testing';
import { followUpOf, followUpWork, orderWork } from './order-work';

const stream = 'payment-x' as StreamName;
const merchant = 'acme' as MerchantLogin;
const workOf = (event: Parameters<typeof orderWork>[0]['event']) => orderWork({ stream, metadata: { merchant }, event });
const { accepted, started, unknown, approved, declined, failed, settled, conflict } = followUpEvents;

describe('work items of follow-ups', () => {
  it('include each accepted follow-up, due immediately, under its own key', () => {
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
  ])('have the key %s for follow-up %s', (key, number) => expect(followUpOf({ key })).toBe(number));

  it.each([approved(), declined(), failed(), settled()])('include none for a follow-up after $type', (event) => {
    expect(workOf(event)).toEqual([{ kind: 'done', key: 'payment-x#1' }]);
  });

  it('include an inquiry one second after a start, in the inquiries lane', () => {
    const dueAt = followUpEvents.started().data.startedAt + 1_000;
    const item = { key: 'payment-x#1', stream, task: 'follow-up', dueAt, merchant, lane: 'acme/follow-ups inquiries' };
    expect(workOf(started())).toEqual([{ kind: 'due', item }]);
  });

  it.each([unknown(), conflict()])('are not changed by $type, after which the reactor schedules the next inquiry', (event) => {
    expect(workOf(event)).toEqual([]);
  });

  it('cannot be derived from an unknown event type', () => {
    expect(() => workOf({ type: 'UnheardOf', data: {} } as never)).toThrow(/^no case for/);
    expect(() => followUpWork(stream, merchant, { type: 'UnheardOf', data: {} } as never)).toThrow(/^no case for/);
  });
});
