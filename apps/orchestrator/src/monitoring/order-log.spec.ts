import { Writable } from 'node:stream';
import { VaultUnavailable } from '@app/card-vault';
import { deliveryKey } from '@app/callbacks';
import { OutcomeUnknown, StoreUnavailable, type CallerTrace, type EventId, type StreamName, type WorkItem } from '@app/event-store';
import { Secret, type GateAlias, type Instant, type MerchantLogin } from '@app/kernel';
import { OrderWorkFailed, type GateCall, type OpenOrder } from '@app/orders';
import { ServiceLog } from '@app/http/server';
import { ATTEMPT_KEY, attemptEvents, disputeEvents, finalEvents, followUpEvents, sampleOrder } from '@app/testing';
import { OrderLog } from './order-log';

const STREAM = 'payment-x' as StreamName;
const SERIAL = '00000000-0000-0000-0000-000000000048';
const FOLLOW_UP_SERIAL = '00000000-0000-0000-0000-000000000049';
const order = sampleOrder();
const open = {
  stream: STREAM,
  order,
  correlation: SERIAL,
  processing: { attempts: { status: 'approved', gate: 'sim-a' } },
  traceOf: () => ({ correlation: FOLLOW_UP_SERIAL, causation: 'x' }),
} as unknown as OpenOrder;
const about = { stream: STREAM, orderId: order.orderId, merchant: order.merchant, serial: SERIAL };

const openLog = () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = new OrderLog(new ServiceLog('info', destination), {
    eventStore: { kind: 'eventstoredb', url: new Secret('esdb://user:pa55@log-1:2113?tls=false') },
    vault: { kind: 'file', path: '/data/vault.sqlite' },
  });
  const written = (): object[] => lines.map((line) => JSON.parse(line) as object);
  return { log, written };
};

describe('OrderLog', () => {
  it('logs order, merchant, request, cause and the address of the unavailable store without credentials', () => {
    const { log, written } = openLog();
    log.workFailed(
      { stream: STREAM, task: 'inquire', lane: 'acme/sim-a' },
      new OrderWorkFailed(about, new OutcomeUnknown('14 UNAVAILABLE')),
    );
    log.workFailed({ stream: STREAM, task: 'submit' }, new VaultUnavailable('away'));
    log.upkeepFailed('find-due-orders', new StoreUnavailable('away'));
    const error = expect.objectContaining({ name: 'OutcomeUnknown', message: '14 UNAVAILABLE' }) as object;
    expect(written()).toMatchObject([
      { event: 'order.work-failed', ...about, task: 'inquire', lane: 'acme/sim-a', store: 'esdb://log-1:2113', error },
      { event: 'order.work-failed', stream: STREAM, task: 'submit', store: '/data/vault.sqlite' },
      { event: 'upkeep.failed', task: 'find-due-orders', store: 'esdb://log-1:2113' },
    ]);
    expect(JSON.stringify(written())).not.toContain('pa55');
  });

  it('logs a gate report with an unknown attempt key and a notification that could not be processed', () => {
    const { log, written } = openLog();
    log.gateReportNeverKnown('sim-a', { stream: STREAM, key: ATTEMPT_KEY });
    log.gateReportNeverKnown('sim-a', { key: ATTEMPT_KEY });
    log.notificationFailed({ gate: 'sim-a', stream: STREAM }, new StoreUnavailable('away'));
    log.notificationFailed({ gate: 'sim-a' }, new Error('a fault of the adapter'));
    expect(written()).toMatchObject([
      { event: 'gate.report-never-known', gate: 'sim-a', stream: STREAM, attemptKey: ATTEMPT_KEY },
      { event: 'gate.report-never-known', gate: 'sim-a', attemptKey: ATTEMPT_KEY },
      { event: 'gate.notification-failed', gate: 'sim-a', stream: STREAM, store: 'esdb://log-1:2113' },
      { event: 'gate.notification-failed', gate: 'sim-a', error: { message: 'a fault of the adapter' } },
    ]);
  });

  it('logs each final outcome with entry point, code and gate, and an unknown outcome with its cause', () => {
    const { log, written } = openLog();
    log.moved(open, [attemptEvents.approved(), finalEvents.approved()]);
    log.moved(open, [finalEvents.declined({ code: 116 })]);
    log.moved({ ...open, processing: { attempts: { status: 'none' } } } as unknown as OpenOrder, [finalEvents.filtered({ code: 120 })]);
    log.moved(open, [finalEvents.failed({ code: 121 })]);
    log.moved(open, [attemptEvents.unknown({ cause: 'timeout' })]);
    const ended = { level: 30, event: 'order.ended', ...about, entryPoint: order.endpointId };
    const lines = written().map(({ time: _, service: __, ...line }: { time?: string; service?: string }) => line);
    expect(lines).toStrictEqual([
      { ...ended, outcome: 'approved', gate: 'sim-a' },
      { ...ended, outcome: 'declined', code: 116, gate: 'sim-a' },
      { ...ended, outcome: 'filtered', code: 120 },
      { ...ended, level: 40, event: 'order.failed', outcome: 'failed', code: 121, gate: 'sim-a', cause: 'OrderFailed' },
      { ...ended, level: 40, event: 'order.outcome-unknown', outcome: 'unknown', gate: 'sim-a', cause: 'timeout' },
    ]);
  });

  it('logs the cause of a failed order and a contradicting gate result with the request that started the work', () => {
    const { log, written } = openLog();
    log.moved(open, [attemptEvents.started(), finalEvents.failed({ code: 121 })]);
    log.moved(open, [attemptEvents.conflict()]);
    log.moved(open, [followUpEvents.failed()]);
    expect(written()).toMatchObject([
      { event: 'order.failed', ...about, cause: 'OrderFailed', code: 121 },
      { event: 'order.gate-contradicts', ...about, gate: 'sim-a', cause: 'LateResultConflict', believed: 'declined', told: 'approved' },
      { event: 'order.failed', ...about, serial: FOLLOW_UP_SERIAL, followUp: 1, cause: 'FollowUpFailed', code: 122 },
    ]);
    expect(written()).toHaveLength(3);
  });
});

it('logs only reports that were set aside or exceed the captured amount', () => {
  const { log, written } = openLog();
  log.moved(open, [disputeEvents.chargeback(), disputeEvents.representment(), disputeEvents.fraudWarning()]);
  log.moved(open, [disputeEvents.chargeback({ isAboveTaken: true })]);
  log.moved(open, [disputeEvents.setAside({ kind: 'reversal', cause: 'other-gate', source: 'file' })]);
  const line = { event: 'order.report-needs-attention', ...about, gate: 'sim-a', case: 'CB-1' };
  expect(written()).toMatchObject([
    { ...line, kind: 'chargeback', source: 'gate', cause: 'above-taken' },
    { ...line, kind: 'reversal', source: 'file', cause: 'other-gate' },
  ]);
  expect(written()).toHaveLength(2);
});

it('logs the trace id of the request that started the work if it had one', () => {
  const { log, written } = openLog();
  const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace;
  log.moved({ ...open, callerTrace }, [finalEvents.failed({ code: 121 }), followUpEvents.failed()]);
  const [ofOrder, ofFollowUp] = written();
  expect(ofOrder).toMatchObject({ serial: SERIAL, trace: '4bf92f3577b34da6a3ce929d0e0e4736' });
  expect(ofOrder).not.toHaveProperty('callerTrace');
  expect(ofFollowUp).toMatchObject({ serial: FOLLOW_UP_SERIAL });
  expect(ofFollowUp).not.toHaveProperty('trace');
});

it('logs only the first and the last failure of a callback, with delivery, order, request and cause', () => {
  const { log, written } = openLog();
  const factId = '5a17c0de-0000-5000-8000-000000000001' as EventId;
  const item: WorkItem = {
    key: deliveryKey(factId, 'callback'),
    stream: STREAM,
    task: 'callback',
    dueAt: 0 as Instant,
    merchant: 'acme' as MerchantLogin,
    lane: 'acme',
  };
  const tried = {
    merchant: 'acme',
    target: 'callback',
    deliveryId: factId,
    stream: STREAM,
    serial: SERIAL,
    orderId: order.orderId,
  } as const;
  const failing = { ...tried, outcome: 'answered', cause: { cause: 'answered', status: 503 } } as const;
  for (const tryNumber of [1, 2, 3]) log.callbackTried({ ...failing, tryNumber, isExhausted: false });
  log.callbackTried({ ...tried, tryNumber: 4, outcome: 'delivered', isExhausted: false });
  log.callbackTried({ ...failing, tryNumber: 50, isExhausted: true });
  log.deliveryFailed(item, new StoreUnavailable('away'));
  expect(written()).toMatchObject([
    { event: 'callback.failed', deliveryId: factId, orderId: order.orderId, serial: SERIAL, cause: failing.cause, tryNumber: 1 },
    { event: 'callback.failed', deliveryId: factId, orderId: order.orderId, cause: failing.cause, tryNumber: 50, isExhausted: true },
    { event: 'callback.work-failed', deliveryId: factId, target: 'callback', stream: STREAM, store: 'esdb://log-1:2113' },
  ]);
});

it('logs a failed or late gate call with gate, order and request, and each circuit change', () => {
  const { log, written } = openLog();
  const call: GateCall = { ...about, merchant: order.merchant, stream: STREAM, task: 'submit', gate: 'sim-a' as GateAlias };
  log.gateFailed(call, new Error('socket hang up'));
  log.gateAnsweredLate(call, 'approved');
  log.circuitTurned({ gate: 'sim-a' as GateAlias, state: 'open', calls: 10, failures: 6, cause: 'timeout' });
  log.circuitTurned({ gate: 'sim-a' as GateAlias, state: 'closed' });
  expect(written()).toMatchObject([
    { event: 'gate.call-failed', ...about, gate: 'sim-a', task: 'submit', error: { message: 'socket hang up' } },
    { event: 'gate.answered-late', ...about, gate: 'sim-a', answer: 'approved' },
    { level: 40, event: 'gate.circuit-opened', gate: 'sim-a', calls: 10, failures: 6, cause: 'timeout' },
    { level: 30, event: 'gate.circuit-closed', gate: 'sim-a' },
  ]);
});
