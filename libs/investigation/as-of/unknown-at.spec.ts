import type { StreamName } from '@app/event-store';
import { hashOf, type Last } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { addMs, type ClientOrderId, type Instant, type MerchantLogin } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { attemptEvents, finalEvents, sampleOrder, VirtualClock } from '@app/testing';
import { unknownAt, type UnknownAtPorts } from './unknown-at';

const NOON = 1_777_809_600_000 as Instant;
const after = (seconds: number): Instant => addMs(NOON, seconds * 1_000);
const store = new MemoryEventStore(new VirtualClock());
const streamOf = (name: string): StreamName => paymentStream('acme' as MerchantLogin, name as ClientOrderId);

const write = async (name: string, ...events: readonly (readonly [seconds: number, event: PaymentEvent])[]): Promise<StreamName> => {
  const stream = streamOf(name);
  let last: Last = 'no_stream';
  for (const [seconds, event] of events) {
    const envelope = {
      correlation: 's',
      causation: 's',
      actor: 'a',
      merchant: 'acme',
      commandId: `${name} ${seconds}`,
      recordedAt: after(seconds),
    };
    const encoded = paymentCodec.encode([event], stream, last, envelope);
    const [only] = encoded;
    const result = await store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (result.kind === 'conflict') throw new Error('a conflict');
    last = { revision: BigInt(Number(last === 'no_stream' ? -1n : last.revision) + 1) as never, hash: hashOf(only) };
  }
  return stream;
};
const accepted = (name: string): PaymentEvent => ({ type: 'OrderAccepted', data: sampleOrder({ clientOrderId: name as ClientOrderId }) });

let streams: readonly StreamName[];
beforeAll(async () => {
  const started = [1, attemptEvents.started()] as const;
  const unknown = [2, attemptEvents.unknown()] as const;
  const resolved = await write(
    'resolved',
    [0, accepted('resolved')],
    started,
    unknown,
    [50, attemptEvents.approved()],
    [50, finalEvents.approved()],
  );
  const still = await write('still', [0, accepted('still')], started, unknown);
  const never = await write('never', [0, accepted('never')], started, [50, attemptEvents.approved()]);
  streams = [resolved, still, never];
});

const ports = (over: readonly StreamName[] = streams, end?: StreamName): UnknownAtPorts => ({
  log: store,
  orders: { changedSince: () => Promise.resolve({ streams: over, end }) },
});
const named = async (seconds: number): Promise<readonly string[]> =>
  (await unknownAt(ports(), after(seconds), { limit: 10 })).orders.map(({ clientOrderId }) => clientOrderId);

it.each([
  [0, []],
  [1, []],
  [2, ['resolved', 'still']],
  [49, ['resolved', 'still']],
  [50, ['still']],
])('unknownAt returns, %i s after noon, the orders %j', async (seconds, names) => {
  expect(await named(seconds)).toStrictEqual(names);
});

it('unknownAt returns the order as it was then, without later changes', async () => {
  const { orders } = await unknownAt(ports(), after(10), { limit: 1 });
  expect(orders).toMatchObject([{ clientOrderId: 'resolved', status: 'unknown', finalAt: null, approvalCode: null }]);
});

it('unknownAt pages through the orders, within and beyond one page of the read model', async () => {
  const next = streamOf('later');
  const [first, second] = streams;
  await expect(unknownAt(ports(streams, next), after(10), { limit: 1 })).resolves.toMatchObject({ next: first });
  await expect(unknownAt(ports([second as StreamName], next), after(10), { limit: 1 })).resolves.toMatchObject({ next });
  await expect(unknownAt(ports([], next), after(10), { limit: 1 })).resolves.toStrictEqual({ orders: [], untold: [], next });
  await expect(unknownAt(ports(), after(10), { limit: 10 })).resolves.toMatchObject({ next: undefined });
});

it('unknownAt folds at most 500 orders per page', async () => {
  const many = Array.from({ length: 501 }, () => streams[2] as StreamName);
  const read = jest.spyOn(store, 'read');
  const page = await unknownAt(ports(many), after(10), { limit: 1_000 });
  expect([read.mock.calls.length, page.next, page.orders]).toStrictEqual([500, streams[2], []]);
  read.mockRestore();
});

it('unknownAt lists an order whose chain is broken as unreadable, and continues', async () => {
  const read = store.read.bind(store);
  const log: UnknownAtPorts['log'] = {
    async *read(stream, from) {
      for await (const stored of read(stream, from))
        yield stream === streams[0] && stored.revision === 1n ? { ...stored, data: stored.data.replace('1042', '1043') } : stored;
    },
  };
  const { orders, untold } = await unknownAt({ ...ports(), log }, after(10), { limit: 10 });
  expect(orders.map(({ clientOrderId }) => clientOrderId)).toStrictEqual(['still']);
  expect(untold).toStrictEqual([{ stream: streams[0], problem: expect.stringContaining('does not follow') }]);
});
