import { MemoryEventStore } from '@app/event-store/stores/memory';
import {
  BrokenChain,
  lastAfter,
  StreamCopies,
  type AnyEvent,
  type Envelope,
  type EventCodec,
  type Last,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import {
  ACCEPTED_AT,
  attemptEvents,
  DESTINATION_REF,
  deviceEvents,
  finalEvents,
  sampleDeviceOrder,
  sampleOrder,
  seededRandom,
  textOrderIds,
  SOURCE_REF,
  VirtualClock,
} from '@app/testing';
import { transferCodec, transferStream } from '@app/transfer';
import type { TransferEvent } from '@app/transfer/events';
import { CurrentOrderReader } from './current-order';

const { merchant, clientOrderId, orderId } = sampleOrder();
const STREAM = paymentStream(merchant, clientOrderId);
const SERIAL = '00000000-0000-0000-0000-000000000001';

const appendStory = async <Event extends AnyEvent>(
  store: MemoryEventStore,
  codec: EventCodec<Event>,
  stream: StreamName,
  story: readonly Event[],
): Promise<void> => {
  let last: Last = 'no_stream';
  for (const event of story) {
    const commandId = `${event.type}-command`;
    const envelope: Envelope = { correlation: SERIAL, causation: SERIAL, actor: merchant, merchant, commandId, recordedAt: ACCEPTED_AT };
    const events = codec.encode([event], stream, last, envelope);
    const result = await store.append(stream, last === 'no_stream' ? last : last.revision, events);
    if (result.kind !== 'appended') throw new Error('a conflict');
    last = lastAfter(result.revision, events);
  }
};

const orderIds = textOrderIds(seededRandom());

const setUp = async () => {
  const store = new MemoryEventStore(new VirtualClock());
  await appendStory<PaymentEvent>(store, paymentCodec, STREAM, [{ type: 'OrderAccepted', data: sampleOrder() }, finalEvents.approved()]);
  let isForged = false;
  const copies = new StreamCopies();
  const watched = {
    async *read(stream: StreamName, from = 0n as Revision) {
      for await (const stored of store.read(stream, from)) {
        yield isForged && stored.revision === 0n ? { ...stored, data: stored.data.replace('1042', '9042') } : stored;
      }
    },
  };
  return {
    reader: new CurrentOrderReader(watched as unknown as MemoryEventStore, orderIds, copies),
    store,
    copies,
    forge: () => (isForged = true),
  };
};

describe('CurrentOrderReader (architecture, rule 10)', () => {
  it('folds the order from its stream in find, findAll and orderOf', async () => {
    const { reader } = await setUp();
    await expect(reader.find(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, status: 'approved' });
    await expect(reader.findAll(merchant, clientOrderId)).resolves.toMatchObject([{ orderId, status: 'approved' }]);
    await expect(reader.orderOf(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, end: { kind: 'approved' } });
  });

  it('throws for a stream whose chain is broken', async () => {
    const { reader, forge } = await setUp();
    forge();
    await expect(reader.find(merchant, clientOrderId, orderId)).rejects.toThrow(BrokenChain);
    await expect(reader.ofStream(STREAM)).rejects.toThrow(BrokenChain);
  });

  it('reads up to an event from a copy only if the copy contains it', async () => {
    const { reader, store, copies, forge } = await setUp();
    const upTo = (wanted: string) => ({ upTo: ({ type }: StoredEvent) => type === wanted });
    forge();
    for await (const stored of store.read(STREAM)) {
      copies.extend([stored]);
      break;
    }
    await expect(reader.ofStream(STREAM, upTo('OrderAccepted'))).resolves.toMatchObject({ status: 'processing' });
    await expect(reader.ofStream(STREAM, upTo('OrderApproved'))).rejects.toThrow(BrokenChain);
    await expect(reader.ofStream(STREAM)).rejects.toThrow(BrokenChain);
  });

  it('returns the card references of which the merchant server was notified, for an order of the device interface', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    const data = sampleDeviceOrder();
    await appendStory<TransferEvent>(store, transferCodec, transferStream(data.merchant, data.clientOrderId), [
      { type: 'OrderAccepted', data },
      deviceEvents.checked(),
      attemptEvents.started(),
      attemptEvents.approved(),
      deviceEvents.cardsMapped(),
      finalEvents.approved(),
    ]);
    const reader = new CurrentOrderReader(store, orderIds, new StreamCopies());
    const fact = await reader.orderOf(data.merchant, data.clientOrderId, data.orderId);
    expect(fact).toMatchObject({ end: { kind: 'approved' }, mapped: { source: SOURCE_REF, destination: DESTINATION_REF } });
  });
});
