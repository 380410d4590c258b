import { Test } from '@nestjs/testing';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { EVENT_STORE, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { ResolveUnknownOutcome, WorkOrder, requestEnvelope } from '@app/orders';
import { ORDERS_LISTENER } from '@app/orders/orders.tokens';
import { KEY_STREAM, modulePorts } from '@app/testing/module-ports';
import { metadataOf, type CallerTrace, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import type { CallLimit, Gate, InquiryAnswer } from '@app/gateway-adapters/contract';
import type { AttemptKey, Sealed } from '@app/kernel';
import { attemptEvents, eventually, sampleOrder, VirtualClock } from '@app/testing';
import { PaymentModule } from './payment.module';
import { paymentCodec, paymentStream } from './application/payment.codec';

const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);
const serial = '00000000-0000-0000-0000-000000000001';

const world = async (callerTrace?: CallerTrace) => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
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
  const fail = (_: unknown, error: unknown): never => {
    throw error;
  };
  const listener = {
    workFailed: fail,
    gateFailed: fail,
    gateAnsweredLate: () => undefined,
    orderMoved: () => undefined,
    gateContradicted: (of: StreamName) => contradicted.push(of),
  };
  const vault = { ...KEY_STREAM, takeKey: () => Promise.resolve({ seal: () => 'sealed' as Sealed }) };
  const gates = { gate: () => ({ inquiring: { inquire } }) as unknown as Gate, find: () => undefined };
  const ports = modulePorts(
    [
      [EVENT_STORE, store],
      [REQUEST_EVENT_STORE, store],
      [CARD_VAULT, vault],
      [GATES, gates],
      [ORDERS_LISTENER, listener],
    ],
    clock,
  );
  const module = await Test.createTestingModule({ imports: [ports, PaymentModule] }).compile();
  const processing = {
    workOrder: module.get(WorkOrder, { strict: false }),
    resolveUnknownOutcome: module.get(ResolveUnknownOutcome, { strict: false }),
  };
  return { clock, store, processing, inquiries, limits, contradicted };
};

it('a gate’s contradiction of a recorded outcome is reported once (safety, I4)', async () => {
  const { clock, processing, inquiries, contradicted } = await world();
  const asking = [processing.workOrder.work(stream), processing.workOrder.work(stream)];
  await eventually(() => inquiries.length === 2);
  await processing.resolveUnknownOutcome.resolve(stream, { as: 'declined', reason: 'told by telephone', by: { actor: 'olga' } });
  expect(contradicted).toEqual([]);
  const approved: InquiryAnswer = { kind: 'approved', transactionId: 'late', approvalCode: 'A1', processedAt: clock.now() };
  for (const answer of inquiries) answer(approved);
  await clock.advance(1_000);
  await Promise.all(asking);
  expect(contradicted).toEqual([stream]);
});

it('a contradiction is reported although the answers of its append are lost, and not again by a repeat', async () => {
  const { clock, store, processing, inquiries, contradicted } = await world();
  const asking = [processing.workOrder.work(stream), processing.workOrder.work(stream)];
  await eventually(() => inquiries.length === 2);
  await processing.resolveUnknownOutcome.resolve(stream, { as: 'declined', reason: 'told by telephone', by: { actor: 'olga' } });
  const approved: InquiryAnswer = { kind: 'approved', transactionId: 'late', approvalCode: 'A1', processedAt: clock.now() };
  const lost = { kind: 'stored-answer-lost' } as const;
  // The first append conflicts with the resolution.
  store.stumble({ kind: 'rival', write: () => Promise.resolve() }, lost, lost, lost);
  const outcomes = Promise.allSettled(asking);
  for (const answer of inquiries) {
    answer(approved);
    await clock.advance(1_000);
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(contradicted).toEqual([stream]);
});

it.each([
  [
    'the trace of the request that made the order',
    '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace,
    /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/,
  ],
  ['that request’s serial-number where it came under none', undefined, /^00-00000000000000000000000000000001-[0-9a-f]{16}-00$/],
])('a gate call and its stored result use %s', async (_, callerTrace, traceparent) => {
  const { clock, store, processing, inquiries, limits } = await world(callerTrace);
  const asking = processing.workOrder.work(stream);
  await eventually(() => inquiries.length === 1);
  expect(limits[0]?.trace?.traceparent).toMatch(traceparent);
  expect(limits[0]?.trace).toStrictEqual(limits[0]?.trace);
  inquiries[0]?.({ kind: 'approved', transactionId: 'x', approvalCode: 'A1', processedAt: clock.now() });
  await asking;
  const stored: object[] = [];
  for await (const event of store.read(stream)) stored.push({ type: event.type, callerTrace: metadataOf(event).callerTrace });
  expect(stored).toContainEqual({ type: 'OrderApproved', callerTrace });
});
