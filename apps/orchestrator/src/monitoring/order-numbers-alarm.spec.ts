import { serialCodec, type EventStore, type StreamName } from '@app/event-store';
import { ORDER_BLOCK_SIZE, OrderIdSource } from '@app/orders';
import { OrderNumbers, systemClock, systemIds, systemRandom, type OrderKind } from '@app/kernel';
import { ServiceMetrics } from './service-metrics';
import { OrderNumbersAlarm } from './order-log';

const TRANSFER_NUMBERS = 143_435_456;
const logWithReserved = (blocks: () => bigint): EventStore =>
  ({
    append: (_stream: StreamName, expected: bigint | 'no_stream') =>
      Promise.resolve(expected === blocks() - 1n ? { kind: 'appended', revision: blocks() } : { kind: 'conflict', actual: blocks() - 1n }),
    read: async function* (stream: StreamName) {
      await Promise.resolve();
      const last = blocks() - 1n;
      const data = { first: last * BigInt(ORDER_BLOCK_SIZE), count: ORDER_BLOCK_SIZE, holder: 'boot' };
      const envelope = { correlation: 'b', causation: 'b', actor: 'a', merchant: '', commandId: 'c', recordedAt: systemClock.now() };
      const [event] = serialCodec.encode([{ type: 'BlockReserved', data }], stream, 'no_stream', envelope);
      yield { stream, revision: last, ...event };
    },
  }) as unknown as EventStore;

const sourcesWith = (at: () => bigint) => {
  const warnings: unknown[] = [];
  const metrics = new ServiceMetrics();
  const alarm = new OrderNumbersAlarm({ warning: (event, facts) => warnings.push([event, facts]) });
  const source = () =>
    new OrderIdSource({
      form: 'numeric',
      numbers: new OrderNumbers((bytes) => Buffer.alloc(bytes, 7)),
      store: logWithReserved(at),
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      bootId: 'boot',
      onReserved: (used) => {
        metrics.orderNumbersUsed(used);
        alarm.reserved(used);
      },
    });
  return { source, warnings, metrics };
};
const blocksOf = (share: number): bigint => BigInt(Math.floor((TRANSFER_NUMBERS * share) / ORDER_BLOCK_SIZE));

it('warns once 80 % of the order numbers of a kind are used and reports the share as a metric [W492]', async () => {
  let share = 0.79;
  const { source, warnings, metrics } = sourcesWith(() => blocksOf(share));
  const figure = async (): Promise<string> =>
    (await metrics.registry.metrics()).match(/^orchestrator_order_numbers_used_ratio.*$/m)?.[0] ?? '';
  await source().next('transfer');
  expect(warnings).toStrictEqual([]);
  expect(await figure()).toMatch(/^orchestrator_order_numbers_used_ratio\{kind="transfer"\} 0\.79/);
  share = 0.81;
  await source().next('transfer');
  expect(warnings).toStrictEqual([
    [
      'order-numbers.running-out',
      { kind: 'transfer' satisfies OrderKind, used: Number(blocksOf(share) + 1n) * ORDER_BLOCK_SIZE, of: TRANSFER_NUMBERS },
    ],
  ]);
  expect(await figure()).toMatch(/\{kind="transfer"\} 0\.81/);
});

it('warns about order numbers once per percent', async () => {
  let at = blocksOf(0.9) + 10n;
  const { source, warnings } = sourcesWith(() => at);
  const orderIds = source();
  for (let block = 0; block < 3; block++) {
    for (let order = 0; order < ORDER_BLOCK_SIZE; order++) await orderIds.next('transfer');
    at += 1n;
  }
  expect(warnings).toHaveLength(1);
});
