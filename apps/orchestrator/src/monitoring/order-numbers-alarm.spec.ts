import type { EventStore, StreamName } from '@app/event-store';
import { ORDER_BLOCK_SIZE, OrderIdSource } from '@app/order-processing';
import { OrderNumbers, systemClock, systemIds, systemRandom, type OrderKind } from '@app/kernel';
import { ServiceMetrics } from '../operator/service-metrics';
import { OrderNumbersAlarm } from './order-numbers-alarm';

const OF_TRANSFERS = 143_435_456;
/** A log whose series of numbers stands at some block, and takes each that is asked for. */
const standingAt = (blocks: () => bigint): EventStore =>
  ({
    append: (_stream: StreamName, expected: bigint | 'no_stream') =>
      Promise.resolve(expected === blocks() - 1n ? { kind: 'appended', revision: blocks() } : { kind: 'conflict', actual: blocks() - 1n }),
    read: async function* (stream: StreamName) {
      await Promise.resolve();
      yield { stream, revision: blocks() - 1n, id: 'id', type: 'BlockReserved', data: '{}', metadata: '{}' };
    },
  }) as unknown as EventStore;

const world = (at: () => bigint) => {
  const warnings: unknown[] = [];
  const metrics = new ServiceMetrics();
  const alarm = new OrderNumbersAlarm({ warning: (event, facts) => warnings.push([event, facts]) });
  const source = () =>
    new OrderIdSource({
      form: 'numeric',
      numbers: new OrderNumbers((bytes) => Buffer.alloc(bytes, 7)),
      store: standingAt(at),
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
const blocksOf = (share: number): bigint => BigInt(Math.floor((OF_TRANSFERS * share) / ORDER_BLOCK_SIZE));

it('the last fifth of a kind’s order numbers is warned of and stands in the metrics', async () => {
  let share = 0.79;
  const { source, warnings, metrics } = world(() => blocksOf(share));
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
      { kind: 'transfer' satisfies OrderKind, used: Number(blocksOf(share) + 1n) * ORDER_BLOCK_SIZE, of: OF_TRANSFERS },
    ],
  ]);
  expect(await figure()).toMatch(/\{kind="transfer"\} 0\.81/);
});

it('and warned of once a percent', async () => {
  let at = blocksOf(0.9) + 10n;
  const { source, warnings } = world(() => at);
  const one = source();
  for (let block = 0; block < 3; block++) {
    for (let order = 0; order < ORDER_BLOCK_SIZE; order++) await one.next('transfer');
    at += 1n;
  }
  expect(warnings).toHaveLength(1);
});
