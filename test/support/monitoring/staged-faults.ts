import { addMs } from '@app/kernel';
import { GATE_TIMEOUT_MS } from '@app/orders/domain';
import { disputeEvents, VirtualClock } from '@app/testing';
import type { TriedCallback } from '@app/callbacks';
import type { StreamName } from '@app/event-store';
import type { ParkedStream } from '@app/read-models';
import { figuresIn } from '../documents/figure-names';
import { AlertRule, type Sample } from './promql';
import { GATE, MERCHANT, OTHER_MERCHANT, Stage } from './stage';

const POOL = { pool: 'card vault' };
const TIMED_OUT = { outcome: 'unknown', seconds: GATE_TIMEOUT_MS / 1_000 };
const ORDER = { stream: 'payment-a' as StreamName, processing: { followUps: [] } as never };
const tried = (outcome: TriedCallback['outcome'], { isExhausted = false, merchant = MERCHANT } = {}) => ({
  merchant,
  outcome,
  isExhausted,
});
const parked = (error: string): ParkedStream => ({
  projection: 'order-status',
  stream: 'payment-a' as StreamName,
  revision: 2,
  eventId: 'an-event',
  error,
  parkedAt: new VirtualClock().now(),
});
const times = (count: number, run: () => void): void => {
  for (let done = 0; done < count; done++) run();
};
const served = (outcome: string, { operation = 'sale', durationMs = 3 } = {}) => ({ operation, outcome, durationMs });

const healthyTraffic = (stage: Stage): void => {
  const { service, merchant } = stage;
  stage.write('nodejs_eventloop_lag_p99_seconds', 0.012);
  stage.write('process_open_fds', 120);
  stage.write('process_max_fds', 1_024);
  for (const name of ['connections', 'connections_idle', 'connections_awaited']) stage.write(`orchestrator_postgres_${name}`, 0, POOL);
  stage.write('orchestrator_postgres_connections_max', 8, POOL);
  service.orderNumbersUsed({ kind: 'payment', used: 4_096, of: 573_741_824 });
  stage.every(5, () => {
    service.served(served('accepted'), 'a');
    service.served(served('answered', { operation: 'status' }), 'a');
    service.served(served('accepted', { operation: 'perform-sale' }), 'b');
    merchant.served({ operation: 'check-sale', outcome: 'answered', durationMs: 2 });
    stage.call();
    service.callbackTried(tried(stage.isCallbackAddressDead ? 'timed-out' : 'delivered'));
    service.callbackTried(tried('delivered', { merchant: OTHER_MERCHANT }));
  });
};

/** Single slow, failed or refused requests, which need no operator. */
const healthyMishaps = (stage: Stage): void => {
  const { clock, service } = stage;
  clock.after(600_000, () => stage.call({ outcome: 'approved', seconds: 25 }));
  clock.after(1_200_000, () => stage.call(TIMED_OUT));
  clock.after(1_800_000, () => service.served(served('temporarily-unavailable'), 'a'));
  clock.after(2_400_000, () => service.callbackTried(tried('timed-out')));
  clock.after(2_700_000, () => times(5, () => service.operators.revealed()));
  clock.after(3_000_000, () => times(5, () => service.operators.acted('erase-order')));
  clock.after(3_300_000, () => times(5, () => service.operators.refused('credentials')));
};

export const STAGED_FAULTS: Readonly<Record<string, (stage: Stage) => void>> = {
  ProcessAway: (stage) => void (stage.isUp = false),
  RequestsTemporarilyUnavailable: (stage) => stage.every(60, () => stage.service.served(served('temporarily-unavailable'), 'a')),
  AcceptanceUnknown: ({ service }) => service.served(served('acceptance-unknown'), 'a'),
  RequestsFailInternally: ({ merchant }) => merchant.served({ operation: 'initiate-sale', outcome: 'SERVER_FAILED', durationMs: 4 }),
  RequestsSlow: (stage) => stage.every(5, () => stage.service.served(served('answered', { operation: 'status', durationMs: 3_000 }), 'a')),
  GateSilent: (stage) => void (stage.gate = TIMED_OUT),
  GateFails: (stage) => void (stage.gate = { outcome: 'not-asked', seconds: 0.1 }),
  GateSlow: (stage) => void (stage.gate = { outcome: 'approved', seconds: 14 }),
  GateCircuitOpen: (stage) => void (stage.circuits = [{ gate: GATE, state: 'open', calls: 20, failures: 20 }]),
  OutcomeUnknownForLong: (stage) => stage.open('unknown_orders', 1, 3_700),
  OutcomesUnknown: (stage) => stage.open('unknown_orders', 101, 60),
  GateContradicts: ({ service }) => service.gateContradicted(),
  GateReportNeedsAttention: ({ service }) => service.orders.moved(ORDER, [disputeEvents.chargeback({ isAboveTaken: true })]),
  GateReportNeverKnown: ({ service }) => service.gateReported(GATE, 'outcome', 'never-known'),
  CallbacksWait: (stage) => stage.open('callbacks_waiting', 3, 90_000),
  CallbacksExhausted: ({ service }) => service.callbackTried(tried('timed-out', { isExhausted: true })),
  MerchantCallbacksFail: (stage) => void (stage.isCallbackAddressDead = true),
  ManyReveals: ({ service }) => times(21, () => service.operators.revealed()),
  ManyRefusals: ({ service }) => times(51, () => service.operators.refused('credentials')),
  ManyErasures: ({ service }) => times(51, () => service.operators.acted('erase-order')),
  ActedAlone: ({ service }) => service.operators.acted('act-alone'),
  OrderWorkFails: (stage) => stage.every(60, () => stage.service.orderFailed()),
  LogNotAsWritten: (stage) => stage.proofs({ fault: { kind: 'tree-differs' } as never }),
  LogNotSigned: (stage) => stage.proofs({ waitingSince: stage.clock.now() }),
  LogUnsigned: (stage) => stage.proofs({ isSigning: false }),
  LogWitnessFails: (stage) => stage.every(60, () => stage.service.logProofs.witnessFailed()),
  StreamsParked: (stage) => void (stage.parked = [parked('UndecodableEvent: payment-a revision 2: a newer release wrote it')]),
  ChainBroken: (stage) => void (stage.parked = [parked('BrokenChain: payment-a revision 2')]),
  DiskNearlyFull: (stage) => void (stage.disk = { freeBytes: 9e9, sizeBytes: 100e9 }),
  RowsRotten: ({ service }) => service.rowCorrupt(),
  ReadModelsBehind: (stage) => stage.is({ projectionBehindMs: 90_000 }),
  ReconciliationCasesWait: (stage) =>
    void (stage.cases = [{ gate: GATE, kind: 'different', count: 1, oldestAt: addMs(stage.clock.now(), -90_000_000) }]),
  ReadModelsSilent: (stage) => void (stage.openCounts = undefined),
  CvvsHeld: (stage) => stage.is({ cvvHeld: 51 }),
  OrderNumbersRunOut: ({ service }) => service.orderNumbersUsed({ kind: 'payment', used: 81, of: 100 }),
  WorkAtItsBound: (stage) => stage.is({ workInFlight: 25 }),
  ConnectionsAwaited: (stage) => {
    stage.write('orchestrator_postgres_connections', 8, POOL);
    stage.write('orchestrator_postgres_connections_awaited', 3, POOL);
  },
  LogLinesLost: (stage) => void (stage.linesLost = 1),
  EventLoopBlocked: (stage) => stage.write('nodejs_eventloop_lag_p99_seconds', 0.8),
  FileDescriptorsRunOut: (stage) => stage.write('process_open_fds', 900),
};

/** The slowest rule holds for an hour over a range of ten minutes. */
const FIRES_WITHIN_MS = 75 * 60_000;
const QUIET_MS = 150_000;
const HOUR_MS = 3_600_000;

/** The process that exposes this metric has counted missing answers of the read models. */
const COUNTED = 'orchestrator_unknown_orders';
const askedBy = (rules: readonly { readonly expr: string }[]): ReadonlySet<string> =>
  new Set([COUNTED, ...rules.flatMap(({ expr }) => figuresIn(expr).names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))]);

export const firstAlarms = async (
  expr: ConstructorParameters<typeof AlertRule>[0],
  fault: (stage: Stage) => void,
): Promise<{ readonly alarms: readonly Sample[]; readonly afterMs: number } | undefined> => {
  const [stage, rule] = [new Stage(askedBy([expr])), new AlertRule(expr)];
  healthyTraffic(stage);
  const beginsAt = addMs(stage.clock.now(), QUIET_MS);
  stage.clock.after(QUIET_MS, () => fault(stage));
  while (stage.clock.now() < addMs(beginsAt, FIRES_WITHIN_MS)) {
    const now = await stage.nextScrape();
    const alarms = rule.evaluated(stage.series, now);
    if (alarms.length > 0) return { alarms, afterMs: now - beginsAt };
  }
  return undefined;
};

export const alarmsOfHealthyHour = async (
  rules: readonly (ConstructorParameters<typeof AlertRule>[0] & { readonly alert: string })[],
): Promise<readonly string[]> => {
  const stage = new Stage(askedBy(rules));
  healthyTraffic(stage);
  healthyMishaps(stage);
  const evaluated = rules.map(({ alert, ...rule }) => [alert, new AlertRule(rule)] as const);
  const fired = new Set<string>();
  const endsAt = addMs(stage.clock.now(), HOUR_MS);
  while (stage.clock.now() < endsAt) {
    const now = await stage.nextScrape();
    for (const [alert, rule] of evaluated) if (rule.evaluated(stage.series, now).length > 0) fired.add(alert);
  }
  return [...fired];
};
