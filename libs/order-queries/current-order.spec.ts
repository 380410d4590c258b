import { MemoryEventStore } from '@app/event-store/stores/memory';
import {
  BrokenChain,
  lastAfter,
  type AnyEvent,
  type Envelope,
  type EventCodec,
  type Last,
  type Revision,
  type StreamName,
} from '@app/event-store';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { foldOrderStatus, logEventOf, type OrderStatusRecord, type OrderStatusView } from '@app/projections';
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

const setUp = async (byStream: () => Promise<OrderStatusRecord | undefined>) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  await appendStory<PaymentEvent>(store, paymentCodec, STREAM, [{ type: 'OrderAccepted', data: sampleOrder() }, finalEvents.approved()]);
  const read: Revision[] = [];
  let isForged = false;
  const watched = {
    async *read(stream: typeof STREAM, from = 0n as Revision) {
      read.push(from);
      for await (const stored of store.read(stream, from)) {
        yield isForged && stored.revision === 0n ? { ...stored, data: stored.data.replace('1042', '9042') } : stored;
      }
    },
  };
  const errors: unknown[] = [];
  const reader = new CurrentOrderReader(watched as unknown as MemoryEventStore, orderIds, { byStream }, clock, (error) =>
    errors.push(error),
  );
  /** The read model's row as it was after the acceptance. */
  const lateRow = async (): Promise<OrderStatusRecord> => {
    let view: OrderStatusView | undefined;
    for await (const stored of store.read(STREAM)) {
      view ??= foldOrderStatus(undefined, logEventOf(stored, paymentCodec.decode(stored)));
    }
    if (view === undefined) throw new Error('no order');
    return { stream: STREAM, revision: 0n, view } as OrderStatusRecord;
  };
  return { reader, clock, errors, read, lateRow, forge: () => (isForged = true) };
};

describe('the current order (architecture, rule 10)', () => {
  it('has what came after the read model’s row', async () => {
    const rows: OrderStatusRecord[] = [];
    const { reader, read, lateRow, errors } = await setUp(() => Promise.resolve(rows[0]));
    rows.push(await lateRow());
    expect(rows).toMatchObject([{ view: { status: 'processing' } }]);
    await expect(reader.find(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, status: 'approved' });
    expect(read).toStrictEqual([0n]);
    expect(errors).toStrictEqual([]);
  });

  it('ignores a row that is ahead of the log, which lost its end', async () => {
    const rows: OrderStatusRecord[] = [];
    const { reader, read, lateRow } = await setUp(() => Promise.resolve(rows[0]));
    const row = await lateRow();
    rows.push({ ...row, revision: 7n as Revision, view: { ...row.view, status: 'declined' } });
    await expect(reader.find(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, status: 'approved' });
    expect(read).toStrictEqual([7n, 0n]);
  });

  it.each(['with the read model’s row', 'without one'])('throws for a stream whose chain is broken, %s', async (which) => {
    const rows: OrderStatusRecord[] = [];
    const { reader, lateRow, forge } = await setUp(() => Promise.resolve(rows[0]));
    if (which === 'with the read model’s row') rows.push(await lateRow());
    forge();
    await expect(reader.find(merchant, clientOrderId, orderId)).rejects.toThrow(BrokenChain);
    await expect(reader.ofStream(STREAM)).rejects.toThrow(BrokenChain);
  });

  it("is folded from the stream's start while the read model cannot be read, and the failure is reported", async () => {
    const { reader, read, errors } = await setUp(() => Promise.reject(new Error('no such table')));
    await expect(reader.find(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, status: 'approved' });
    expect(read).toStrictEqual([0n]);
    await expect(reader.findAll(merchant, clientOrderId)).resolves.toMatchObject([{ orderId, status: 'approved' }]);
    await expect(reader.orderOf(merchant, clientOrderId, orderId)).resolves.toMatchObject({ orderId, end: { kind: 'approved' } });
    // One read to find the order, one for each kind to find all, one for its fact.
    expect(errors).toHaveLength(6);
  });

  it("is folded from the stream's start after half a second of a silent read model; a later row is dropped", async () => {
    let bring: (row: OrderStatusRecord) => void = () => undefined;
    const { reader, clock, read, errors, lateRow } = await setUp(() => new Promise((resolve) => (bring = resolve)));
    let found: OrderStatusView | undefined;
    const reading = reader.find(merchant, clientOrderId, orderId).then((view) => (found = view));
    await clock.advance(499);
    expect([found, read, errors]).toStrictEqual([undefined, [], []]);
    await clock.advance(1);
    await reading;
    expect(found).toMatchObject({ orderId, status: 'approved' });
    bring(await lateRow());
    await clock.advance(60_000);
    expect([read, errors]).toStrictEqual([[0n], [new Error('the read model did not answer within 500 ms')]]);
  });

  it.each(['an answer', 'a refusal'])('leaves no timer behind %s', async (kind) => {
    const row = kind === 'an answer' ? Promise.resolve(undefined) : Promise.reject(new Error('no such table'));
    const { reader, clock } = await setUp(() => row);
    await reader.find(merchant, clientOrderId, orderId);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });

  it('reports a silence that ends in an error once', async () => {
    let fail: (error: Error) => void = () => undefined;
    const { reader, clock, errors } = await setUp(() => new Promise((_resolve, reject) => (fail = reject)));
    const reading = reader.find(merchant, clientOrderId, orderId);
    await clock.advance(500);
    await reading;
    fail(new Error('the connection was lost'));
    await clock.advance(60_000);
    expect(errors).toStrictEqual([new Error('the read model did not answer within 500 ms')]);
  });

  it('gives create-card-ref the references of which the merchant server was notified, for an order of the device interface', async () => {
    const clock = new VirtualClock();
    const store = new MemoryEventStore(clock);
    const data = sampleDeviceOrder();
    await appendStory<TransferEvent>(store, transferCodec, transferStream(data.merchant, data.clientOrderId), [
      { type: 'OrderAccepted', data },
      deviceEvents.checked(),
      attemptEvents.started(),
      attemptEvents.approved(),
      deviceEvents.cardsMapped(),
      finalEvents.approved(),
    ]);
    const reader = new CurrentOrderReader(store, orderIds, { byStream: () => Promise.resolve(undefined) }, clock, () => undefined);
    const fact = await reader.orderOf(data.merchant, data.clientOrderId, data.orderId);
    expect(fact).toMatchObject({ end: { kind: 'approved' }, mapped: { source: SOURCE_REF, destination: DESTINATION_REF } });
  });
});
