import type { EventStore, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/memory';
import type { Gate, InquiryAnswer } from '@app/gateway-adapters/contract';
import { noFailpoints, type AttemptKey, type BootId, type Sealed } from '@app/kernel';
import { requestEnvelope } from '@app/order-processing';
import { paymentCodec, paymentStream } from '@app/payment';
import { attemptEvents, eventually, sampleOrder, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { orderProcessing, type ProcessingPorts } from './processing';

const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);
const serial = '00000000-0000-0000-0000-000000000001';

const world = async () => {
  const clock = new VirtualClock();
  const store: EventStore = new MemoryEventStore(clock);
  const startedAt = clock.now();
  const envelope = requestEnvelope(order.merchant, serial, startedAt);
  const history = [
    { type: 'OrderAccepted' as const, data: order },
    attemptEvents.started({ startedAt }),
    attemptEvents.unknown({ answeredAt: startedAt }),
  ] as const;
  await store.append(stream, 'no_stream', paymentCodec.encode(history, stream, 'no_stream', envelope));
  const inquiries: ((answer: InquiryAnswer) => void)[] = [];
  const inquire = (_: AttemptKey) => new Promise<InquiryAnswer>((resolve) => inquiries.push(resolve));
  const contradicted: StreamName[] = [];
  const processing = orderProcessing({
    store,
    sealer: { takeKey: () => Promise.resolve({ seal: () => 'sealed' as Sealed }) } as unknown as ProcessingPorts['sealer'],
    gates: { gate: () => ({ inquiring: { inquire } }) as unknown as Gate, find: () => undefined },
    clock,
    ids: seededIds(1),
    random: seededRandom(1),
    scheduler: clock,
    failpoints: noFailpoints,
    bootId: 'boot' as BootId,
    isShared: false,
    onOrderError: (_, error) => {
      throw error;
    },
    onContradiction: (of) => contradicted.push(of),
  } as Partial<ProcessingPorts> as ProcessingPorts);
  return { clock, processing, inquiries, contradicted };
};

it('a gate that contradicts what is believed of an order is told of, once (safety, I4)', async () => {
  const { clock, processing, inquiries, contradicted } = await world();
  const asking = [processing.workOrder.work(stream), processing.workOrder.work(stream)];
  await eventually(() => inquiries.length === 2);
  await processing.settleOrder.settle(stream, 'declined', 'told by telephone', 'olga');
  expect(contradicted).toEqual([]);
  const approved: InquiryAnswer = { kind: 'approved', transactionId: 'late', approvalCode: 'A1', processedAt: clock.now() };
  for (const answer of inquiries) answer(approved);
  await clock.advance(1_000);
  await Promise.all(asking);
  expect(contradicted).toEqual([stream]);
});
