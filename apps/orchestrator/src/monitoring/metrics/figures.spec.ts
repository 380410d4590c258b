import { Registry } from 'prom-client';
import type { AnyEvent, StreamName } from '@app/event-store';
import { addMs } from '@app/kernel';
import type { OpenCount } from '@app/read-models';
import { disputeEvents, SAMPLE_AMOUNT, VirtualClock } from '@app/testing';
import { GateFigures } from './gate-figures';
import { OrderFigures } from './order-figures';
import { watchPools, OpenCountFigures } from './live-figures';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});
const lines = async (): Promise<string[]> => (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const of = async (name: string): Promise<string[]> => (await lines()).filter((line) => line.startsWith(name));

describe('gate metrics', () => {
  it('report the duration and outcome of each call and the age of the oldest call in progress', async () => {
    let now = 1_000;
    const gates = new GateFigures(registry, () => now);
    const endCharge = gates.began('sim-a', 'charge');
    now += 2_000;
    const endInquiry = gates.began('sim-a', 'inquire');
    now += 40_000;
    expect(await of('orchestrator_gate_calls_under_way')).toStrictEqual(['orchestrator_gate_calls_under_way{gate="sim-a"} 2']);
    expect(await of('orchestrator_gate_oldest')).toStrictEqual(['orchestrator_gate_oldest_call_seconds{gate="sim-a"} 42']);
    endCharge('approved');
    expect(await of('orchestrator_gate_oldest')).toStrictEqual(['orchestrator_gate_oldest_call_seconds{gate="sim-a"} 40']);
    endInquiry('failed');
    expect(await of('orchestrator_gate_oldest')).toStrictEqual(['orchestrator_gate_oldest_call_seconds{gate="sim-a"} 0']);
    expect(await of('orchestrator_gate_calls_total')).toStrictEqual([
      'orchestrator_gate_calls_total{gate="sim-a",call="charge",outcome="approved"} 1',
      'orchestrator_gate_calls_total{gate="sim-a",call="inquire",outcome="failed"} 1',
    ]);
    expect(await of('orchestrator_gate_call_seconds_bucket{le="60",gate="sim-a",call="charge"}')).toStrictEqual([
      'orchestrator_gate_call_seconds_bucket{le="60",gate="sim-a",call="charge"} 1',
    ]);
    expect(await of('orchestrator_gate_call_seconds_sum')).toContain('orchestrator_gate_call_seconds_sum{gate="sim-a",call="charge"} 42');
  });
});

describe('order metrics', () => {
  const order = (category: string, operations: readonly string[] = []) => ({
    stream: `${category}-abc` as StreamName,
    processing: { followUps: operations.map((operation) => ({ operation })) } as never,
  });
  const event = (type: string, data: object = {}): AnyEvent => ({ type, data });

  it('count acceptances and final states by kind and outcome and ignore intermediate events', async () => {
    const orders = new OrderFigures(registry);
    orders.accepted('payment-abc' as StreamName);
    orders.moved(order('payment'), [event('AttemptStarted')]);
    orders.moved(order('payment'), [event('AttemptApproved'), event('OrderApproved')]);
    orders.moved(order('transfer'), [event('OrderDeclined')]);
    orders.moved(order('transfer'), [event('OrderFiltered')]);
    orders.moved(order('recurring'), [event('OrderFailed')]);
    expect(await lines()).toStrictEqual([
      'orchestrator_orders_accepted_total{kind="payment"} 1',
      'orchestrator_orders_ended_total{kind="payment",outcome="approved"} 1',
      'orchestrator_orders_ended_total{kind="transfer",outcome="declined"} 1',
      'orchestrator_orders_ended_total{kind="transfer",outcome="filtered"} 1',
      'orchestrator_orders_ended_total{kind="recurring",outcome="failed"} 1',
    ]);
  });

  it('count the final state of each follow-up by operation and outcome', async () => {
    const orders = new OrderFigures(registry);
    const withFollowUps = order('payment', ['capture', 'reversal', 'void']);
    orders.moved(withFollowUps, [event('FollowUpApproved', { number: 1 })]);
    orders.moved(withFollowUps, [event('FollowUpDeclined', { number: 2 })]);
    orders.moved(withFollowUps, [event('FollowUpSettled', { number: 3, as: 'approved' })]);
    expect(await lines()).toStrictEqual([
      'orchestrator_follow_ups_ended_total{operation="capture",outcome="approved"} 1',
      'orchestrator_follow_ups_ended_total{operation="reversal",outcome="declined"} 1',
      'orchestrator_follow_ups_ended_total{operation="void",outcome="approved"} 1',
    ]);
  });
});

describe('dispute report metrics', () => {
  it('count reports by gate, kind and outcome, and sum the recorded amounts by currency', async () => {
    const orders = new OrderFigures(registry);
    const order = { stream: 'payment-abc' as StreamName, processing: { followUps: [] } as never };
    const { chargeback, representment, reversal, fraudWarning, setAside } = disputeEvents;
    orders.moved(order, [chargeback(), representment()]);
    orders.moved(order, [chargeback({ isAboveTaken: true }), reversal(), fraudWarning(), setAside({ amount: SAMPLE_AMOUNT })]);
    orders.moved(order, [setAside({ kind: 'representment', cause: 'case-unknown', outcome: 'lost' })]);
    expect(await lines()).toStrictEqual([
      'orchestrator_dispute_reports_total{gate="sim-a",kind="chargeback",outcome="recorded"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="representment-won",outcome="recorded"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="chargeback",outcome="above-taken"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="reversal",outcome="recorded"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="fraud-warning",outcome="recorded"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="chargeback",outcome="set-aside"} 1',
      'orchestrator_dispute_reports_total{gate="sim-a",kind="representment-lost",outcome="set-aside"} 1',
      'orchestrator_dispute_reports_minor_units_total{kind="chargeback",currency="USD"} 2084',
      'orchestrator_dispute_reports_minor_units_total{kind="representment-won",currency="USD"} 1042',
      'orchestrator_dispute_reports_minor_units_total{kind="reversal",currency="USD"} 1042',
    ]);
  });
});

describe('open work metrics', () => {
  const clock = new VirtualClock();
  const watched = (count: () => Promise<OpenCount>): void =>
    new OpenCountFigures(registry, clock, clock).watch(registry, { name: 'unknown_orders', help: 'Orders', count });
  const UNREAD = 'orchestrator_open_counts_unread_total';

  it('report the count and the age of the oldest item', async () => {
    const oldestAt = addMs(clock.now(), -90_000);
    watched(() => Promise.resolve({ count: 3, oldestAt }));
    expect(await lines()).toStrictEqual([`${UNREAD} 0`, 'orchestrator_unknown_orders 3', 'orchestrator_unknown_orders_oldest_seconds 90']);
  });

  it('report an age of 0 without open items and for an item dated in the future', async () => {
    let open: OpenCount = { count: 0, oldestAt: undefined };
    watched(() => Promise.resolve(open));
    expect(await of('orchestrator_unknown')).toStrictEqual([
      'orchestrator_unknown_orders 0',
      'orchestrator_unknown_orders_oldest_seconds 0',
    ]);
    open = { count: 1, oldestAt: addMs(clock.now(), 60_000) };
    await clock.advance(1_000);
    expect(await of('orchestrator_unknown')).toStrictEqual([
      'orchestrator_unknown_orders 1',
      'orchestrator_unknown_orders_oldest_seconds 0',
    ]);
  });

  it('are omitted and counted as unread while the read models fail, and return when they recover', async () => {
    let count = (): Promise<OpenCount> => Promise.resolve({ count: 1, oldestAt: undefined });
    watched(() => count());
    expect(await of('orchestrator_unknown_orders ')).toStrictEqual(['orchestrator_unknown_orders 1']);
    count = () => Promise.reject(new Error('away'));
    await clock.advance(1_000);
    expect(await of('orchestrator_unknown')).toStrictEqual([]);
    expect(await of(UNREAD)).toStrictEqual([`${UNREAD} 1`]);
    count = () => Promise.resolve({ count: 2, oldestAt: undefined });
    await clock.advance(1_000);
    expect(await of('orchestrator_unknown_orders ')).toStrictEqual(['orchestrator_unknown_orders 2']);
  });

  it('are omitted if the read models take longer than one second', async () => {
    watched(() => new Promise(() => undefined));
    const scraped = lines();
    await clock.advance(1_000);
    expect((await scraped).filter((line) => line.startsWith('orchestrator_unknown'))).toStrictEqual([]);
    expect((await registry.getSingleMetric(UNREAD)?.get())?.values[0]?.value).toBe(1);
  });

  it('are read at most once per second for any number of scrapes', async () => {
    let reads = 0;
    watched(() => {
      reads++;
      return Promise.resolve({ count: 0, oldestAt: undefined });
    });
    await Promise.all(Array.from({ length: 50 }, lines));
    expect(reads).toBe(1);
    await clock.advance(1_000);
    await lines();
    expect(reads).toBe(2);
  });
});

it('pool metrics report the pools that are open at the scrape, summed by name', async () => {
  const pool = { name: 'card vault', connections: 3, idle: 1, waiting: 2, connectionsMax: 8 };
  let pools = [pool, { ...pool, name: 'reads' }];
  watchPools(registry, () => pools);
  expect(await of('orchestrator_postgres_connections{')).toStrictEqual([
    'orchestrator_postgres_connections{pool="card vault"} 3',
    'orchestrator_postgres_connections{pool="reads"} 3',
  ]);
  pools = [pool];
  expect(await lines()).toStrictEqual([
    'orchestrator_postgres_connections{pool="card vault"} 3',
    'orchestrator_postgres_connections_idle{pool="card vault"} 1',
    'orchestrator_postgres_connections_max{pool="card vault"} 8',
    'orchestrator_postgres_connections_awaited{pool="card vault"} 2',
  ]);
});
