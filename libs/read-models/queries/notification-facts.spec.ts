import type { CardUidNumbers, OrderSealer } from '@app/card-vault';
import { FactMissing } from '@app/callbacks';
import { lastAfter, type Envelope, type EventId, type Last } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { OpenOrder } from '@app/orders';
import { packTexts } from '@app/orders/domain';
import { attemptEvents, finalEvents, sampleDeviceOrder, SOURCE_MAPPED, SOURCE_REF, VirtualClock } from '@app/testing';
import { transferCodec, transferStream } from '@app/transfer';
import type { TransferEvent } from '@app/transfer/events';
import { StreamNotificationFacts } from './callback-facts';

const { destination: _destination, ...sale } = sampleDeviceOrder();
const { merchant, clientOrderId } = sale;
const stream = transferStream(merchant, clientOrderId);
const texts = packTexts({ accessToken: 'a', nonce: 'n', signature: 's', token: 't', serialNumber: 'x' });
const story: readonly TransferEvent[] = [
  { type: 'OrderAccepted', data: sale },
  attemptEvents.started(),
  attemptEvents.approved(),
  { type: 'CardsMapped', data: { source: SOURCE_MAPPED, isAcknowledged: true, mappedAt: new VirtualClock().now() } },
  finalEvents.approved({ callbacks: ['notification'] }),
];

const factsOf = async (events: readonly TransferEvent[]) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const ids = new Map<string, EventId>();
  let last: Last = 'no_stream';
  for (const [index, event] of events.entries()) {
    const commandId = String(index);
    const envelope: Envelope = { correlation: 'r', causation: 'c', actor: merchant, merchant, commandId, recordedAt: clock.now() };
    const encoded = transferCodec.encode([event], stream, last, envelope);
    const result = await store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (result.kind !== 'appended') throw new Error('a conflict');
    last = lastAfter(result.revision, encoded);
    ids.set(event.type, encoded[0].id);
  }
  const contexts = { open: () => Promise.resolve({ order: sale, correlation: 'r' } as unknown as OpenOrder) };
  const vault = { unseal: () => Promise.resolve(texts), uidNumber: () => Promise.resolve(7n) } as unknown as OrderSealer & CardUidNumbers;
  return { facts: new StreamNotificationFacts(store, contexts, vault), ids };
};

describe('content of a card notification to the merchant server', () => {
  it('has the token and the mapped cards from the stream of the order', async () => {
    const { facts, ids } = await factsOf(story);
    await expect(facts.factOf(stream, ids.get('OrderApproved') ?? ('' as EventId))).resolves.toMatchObject({
      kind: 'notification',
      merchant,
      notification: { token: 't', source: { serverCardId: SOURCE_REF } },
    });
  });

  it.each([
    ['does not hold the final event yet', story.slice(0, -1)],
    ['is read empty', []],
    ['has no cards that were mapped', story.filter(({ type }) => type !== 'CardsMapped')],
  ])('throws FactMissing if the stream %s, since an empty notification would be wrong', async (_, events) => {
    const { ids } = await factsOf(story);
    const { facts } = await factsOf(events);
    await expect(facts.factOf(stream, ids.get('OrderApproved') ?? ('' as EventId))).rejects.toThrow(FactMissing);
  });
});
