import { sampleOrder, seededIds, seededRandom, VirtualClock } from '@app/testing';
import type { Envelope, StreamName } from '@app/event-store';
import type { Claim, OpenOrder, OrderContexts } from './order-context';
import { OrderRecorder } from './order-recorder';

const setUp = (answers: readonly Claim['kind'][]) => {
  const clock = new VirtualClock();
  const left = [...answers];
  const envelopes: Envelope[] = [];
  const order: OpenOrder = {
    stream: 'payment-1' as StreamName,
    order: sampleOrder(),
    correlation: 'the-request',
    causation: 'the-newest-event',
    claim: (_command: unknown, envelope: Envelope) => {
      envelopes.push(envelope);
      return Promise.resolve({ kind: left.shift() ?? 'conflict', order, events: [] });
    },
  } as never;
  const contexts: Pick<OrderContexts, 'open'> = { open: () => Promise.resolve(order) };
  return {
    recorder: new OrderRecorder({ contexts: contexts as OrderContexts, ids: seededIds(), clock, random: seededRandom(), scheduler: clock }),
    order,
    envelopes,
    clock,
  };
};

/** A rival with the same command id would take these events for its own (architecture, rule 2). */
describe('the command id of an append', () => {
  it('is new for each envelope of the same order, cause and time', () => {
    const { recorder, order } = setUp([]);
    const [one, other] = [recorder.envelope(order), recorder.envelope(order)];
    expect(one).toStrictEqual({
      ...{ correlation: 'the-request', callerTrace: undefined, causation: 'the-newest-event', actor: 'orchestrator' },
      ...{ merchant: sampleOrder().merchant, commandId: one.commandId, recordedAt: one.recordedAt },
    });
    expect(other).toStrictEqual({ ...one, commandId: other.commandId });
    expect(other.commandId).not.toBe(one.commandId);
  });

  it('is new for each retry after a conflict', async () => {
    const { recorder, order, envelopes, clock } = setUp(['conflict', 'conflict', 'appended']);
    const claimed = recorder.claimWithRetries(order, () => ({
      type: 'InterruptOrder',
      receiptId: 'r',
      data: { now: clock.now(), isHolderGone: false },
    }));
    await clock.advance(1_000);
    await expect(claimed).resolves.toMatchObject({ kind: 'appended' });
    expect(envelopes).toHaveLength(3);
    expect(new Set(envelopes.map(({ commandId }) => commandId)).size).toBe(3);
  });
});
