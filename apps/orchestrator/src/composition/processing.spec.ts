import { metadataOf, type CallerTrace, type EventStore, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { CallLimit, Gate, InquiryAnswer } from '@app/gateway-adapters/contract';
import { noFailpoints, type AttemptKey, type BootId, type Sealed } from '@app/kernel';
import { requestEnvelope } from '@app/order-processing';
import { paymentCodec, paymentStream } from '@app/payment';
import { attemptEvents, eventually, sampleOrder, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { orderProcessing, type ProcessingPorts } from './processing';

const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);
const serial = '00000000-0000-0000-0000-000000000001';

const world = async (callerTrace?: CallerTrace) => {
  const clock = new VirtualClock();
  const store: EventStore = new MemoryEventStore(clock);
  const startedAt = clock.now();
  const envelope = requestEnvelope(order.merchant, { serial, callerTrace }, startedAt);
  const history = [
    { type: 'OrderAccepted' as const, data: order },
    attemptEvents.started({ startedAt }),
    attemptEvents.unknown({ answeredAt: startedAt, isCallOver: true }),
  ] as const;
  await store.append(stream, 'no_stream', paymentCodec.encode(history, stream, 'no_stream', envelope));
  const inquiries: ((answer: InquiryAnswer) => void)[] = [];
  const limits: CallLimit[] = [];
  const inquire = (_: AttemptKey, limit: CallLimit) => {
    limits.push(limit);
    return new Promise<InquiryAnswer>((resolve) => inquiries.push(resolve));
  };
  const contradicted: StreamName[] = [];
  const processing = orderProcessing({
    store,
    sealer: { takeKey: () => Promise.resolve({ seal: () => 'sealed' as Sealed }) } as unknown as ProcessingPorts['sealer'],
    gates: { gate: () => ({ inquiring: { inquire } }) as unknown as Gate, find: () => undefined },
    clock,
    monotonic: clock,
    ids: seededIds(1),
    random: seededRandom(1),
    scheduler: clock,
    failpoints: noFailpoints,
    bootId: 'boot' as BootId,
    isShared: false,
    onOrderError: (_, error) => {
      throw error;
    },
    onGateError: (_, error) => {
      throw error;
    },
    onLateAnswer: () => undefined,
    onOrderMoved: () => undefined,
    onContradiction: (of) => contradicted.push(of),
  } as Partial<ProcessingPorts> as ProcessingPorts);
  return { clock, store, processing, inquiries, limits, contradicted };
};

it('a gate that contradicts what is believed of an order is told of, once (safety, I4)', async () => {
  const { clock, processing, inquiries, contradicted } = await world();
  const asking = [processing.workOrder.work(stream), processing.workOrder.work(stream)];
  await eventually(() => inquiries.length === 2);
  await processing.resolveUnknownOutcome.resolve(stream, 'declined', 'told by telephone', { actor: 'olga' });
  expect(contradicted).toEqual([]);
  const approved: InquiryAnswer = { kind: 'approved', transactionId: 'late', approvalCode: 'A1', processedAt: clock.now() };
  for (const answer of inquiries) answer(approved);
  await clock.advance(1_000);
  await Promise.all(asking);
  expect(contradicted).toEqual([stream]);
});

it.each([
  [
    'the trace of the request that made the order',
    '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace,
    /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/,
  ],
  ['that request’s serial-number where it came under none', undefined, /^00-00000000000000000000000000000001-[0-9a-f]{16}-00$/],
])('a gate is called under %s, and what comes of it is stored under the same', async (_, callerTrace, traceparent) => {
  const { clock, store, processing, inquiries, limits } = await world(callerTrace);
  const asking = processing.workOrder.work(stream);
  await eventually(() => inquiries.length === 1);
  expect(limits[0]?.trace?.traceparent).toMatch(traceparent);
  // One call, one span.
  expect(limits[0]?.trace).toStrictEqual(limits[0]?.trace);
  inquiries[0]?.({ kind: 'approved', transactionId: 'x', approvalCode: 'A1', processedAt: clock.now() });
  await asking;
  const stored: object[] = [];
  for await (const event of store.read(stream)) stored.push({ type: event.type, callerTrace: metadataOf(event).callerTrace });
  expect(stored).toContainEqual({ type: 'OrderApproved', callerTrace });
});
