import type { AttemptKey, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { OpenOrder, OrderCommand } from '../order-context';
import { ReconcileOrder, type ReconcileOrderPorts, type Reconciliation } from './reconcile-order';

const KEY = 'key-1' as AttemptKey;
const FOLLOWING = 'key-2' as AttemptKey;
const GATE = 'sim-a' as GateAlias;
const BY = { actor: 'operator:kim' };
const asked: Reconciliation = {
  stream: 'payment-1' as StreamName,
  key: KEY,
  gate: GATE,
  to: 'declined',
  caseId: 'case',
  reason: 'the statement',
};
const END = { type: 'OrderApproved' };

const orderOf = (attempts: object, end: object | undefined, followUps: readonly object[] = []): OpenOrder =>
  ({ stream: asked.stream, order: { merchant: 'acme' }, processing: { attempts, end, followUps } }) as unknown as OpenOrder;
const followed = (status: string): OpenOrder =>
  orderOf({ status: 'approved', key: KEY, gate: GATE }, END, [{ number: 1, status, key: FOLLOWING, gate: GATE }]);
const open = orderOf({ status: 'unknown', key: KEY, gate: GATE }, undefined);
const final = orderOf({ status: 'approved', key: KEY, gate: GATE }, END);

const world = (before: OpenOrder, afterInquiry = before, refusal?: string) => {
  const done: string[] = [];
  let command: OrderCommand | undefined;
  const resolved =
    (what: string) =>
    (_stream: unknown, { number, as, meant }: { readonly number?: number; readonly as: string; readonly meant?: string }) => {
      done.push([what, number, as, meant].filter((part) => part !== undefined).join(' '));
      return Promise.resolve(refusal === undefined ? { kind: 'resolved', order: before } : { kind: 'refused', reason: refusal });
    };
  const inquired = (what: string) => () => {
    done.push(what);
    return Promise.resolve(afterInquiry);
  };
  const ports = {
    contexts: { open: () => Promise.resolve(before) },
    recorder: {
      receiptId: () => 'receipt',
      claimWithRetries: (_from: OpenOrder, made: () => OrderCommand) => {
        command = made();
        return Promise.resolve(
          refusal === undefined ? { kind: 'appended', order: before } : { kind: 'refused', rejection: { reason: refusal } },
        );
      },
    },
    sealer: { takeKey: () => Promise.resolve({ seal: (merchant: string, field: string) => `sealed for ${merchant}: ${field}` }) },
    clock: { now: () => 7 },
    attempts: { inquire: inquired('attempt asked about') },
    followUps: { inquire: inquired('follow-up asked about') },
    unknownOutcomes: { resolve: resolved('outcome resolved as') },
    unknownFollowUps: { resolve: resolved('follow-up resolved as') },
  };
  const reconciling = new ReconcileOrder(ports as unknown as ReconcileOrderPorts);
  const { reason: _reason, ...previewed } = asked;
  const preview = (change: Partial<Reconciliation> = {}) => reconciling.preview({ ...previewed, ...change });
  return {
    preview,
    apply: (change: Partial<Reconciliation> = {}) => reconciling.apply({ ...asked, ...change }, BY),
    done,
    command: () => command,
  };
};

const deciding = (order: OpenOrder, decision: object): OpenOrder => ({ ...order, preview: () => decision }) as unknown as OpenOrder;

describe('the preview of a reconciliation', () => {
  it.each<[string, OpenOrder, object]>([
    [
      'a final status',
      deciding(final, [{ type: 'OutcomeReconciled' }, { type: 'OrderDeclined' }]),
      { kind: 'reconciled', events: ['OutcomeReconciled', 'OrderDeclined'] },
    ],
    ['a final status that the order keeps', deciding(final, { reason: 'nothing-new' }), { kind: 'refused', reason: 'nothing-new' }],
    ['an open outcome', open, { kind: 'resolved', events: [] }],
    [
      'another attempt',
      orderOf({ status: 'unknown', key: 'later', gate: GATE }, undefined),
      { kind: 'refused', reason: 'another-attempt' },
    ],
  ])('of %s changes nothing and asks no gate', async (_, order, expected) => {
    const { preview, command, done } = world(order);
    await expect(preview()).resolves.toStrictEqual(expected);
    expect([command(), done]).toStrictEqual([undefined, []]);
  });
});

describe('ReconcileOrder', () => {
  it('changes a final status with the case and the sealed reason', async () => {
    const { apply, command, done } = world(final);
    await expect(apply()).resolves.toMatchObject({ kind: 'reconciled' });
    const grounds = { gate: GATE, to: 'declined', caseId: 'case', reason: 'sealed for acme: settlement-reason', now: 7 };
    expect(command()).toStrictEqual({ type: 'ReconcileOutcome', receiptId: 'receipt', data: { key: KEY, ...grounds } });
    expect(done).toStrictEqual([]);
  });

  it('changes a follow-up identified by its attempt key', async () => {
    const followed = orderOf({ status: 'approved', key: KEY, gate: GATE }, END, [
      { number: 1, status: 'approved', key: FOLLOWING, gate: GATE },
    ]);
    const { apply, command } = world(followed);
    await apply({ key: FOLLOWING });
    expect(command()).toMatchObject({ type: 'ReconcileFollowUp', data: { number: 1, to: 'declined' } });
  });

  it('returns the order’s rejection', async () => {
    await expect(world(final, final, 'follow-ups-moved').apply()).resolves.toStrictEqual({ kind: 'refused', reason: 'follow-ups-moved' });
    await expect(world(open, open, 'flight-not-over').apply()).resolves.toStrictEqual({ kind: 'refused', reason: 'flight-not-over' });
  });

  it('inquires at the gate first if the outcome is open, and accepts its answer', async () => {
    const { apply, done } = world(open, final);
    await expect(apply({ to: 'approved' })).resolves.toStrictEqual({ kind: 'resolved', order: final });
    expect(done).toStrictEqual(['attempt asked about']);
  });

  it.each<[string, OpenOrder, OpenOrder, Reconciliation['to'], AttemptKey]>([
    ['an attempt', open, final, 'declined', KEY],
    ['an attempt that another follows', open, orderOf({ status: 'started', key: 'later', gate: GATE }, undefined), 'approved', KEY],
    ['an attempt that ended', open, orderOf({ status: 'not-asked', key: KEY, gate: GATE }, { type: 'OrderFailed' }), 'approved', KEY],
    ['a follow-up', followed('unknown'), followed('approved'), 'declined', FOLLOWING],
    ['a follow-up that failed', followed('started'), followed('failed'), 'approved', FOLLOWING],
  ])('is refused if the gate answers differently about %s', async (_, before, after, to, key) => {
    const { apply, done } = world(before, after);
    await expect(apply({ to, key })).resolves.toStrictEqual({ kind: 'refused', reason: 'answered-otherwise' });
    expect(done).toHaveLength(1);
  });

  it('is resolved by an answer that leads to another attempt', async () => {
    const later = orderOf({ status: 'unknown', key: 'later', gate: GATE }, undefined);
    const { apply, done } = world(open, later);
    await expect(apply()).resolves.toStrictEqual({ kind: 'resolved', order: later });
    expect(done).toStrictEqual(['attempt asked about']);
  });

  it.each<[Reconciliation['to'], string]>([
    ['declined', 'nothing-new'],
    ['approved', 'order-not-final'],
  ])('to %s is refused for a declined attempt before the next one: %s', async (to, reason) => {
    const { apply, done } = world(orderOf({ status: 'declined', key: KEY, gate: GATE }, undefined));
    await expect(apply({ to })).resolves.toStrictEqual({ kind: 'refused', reason });
    expect(done).toStrictEqual([]);
  });

  it('resolves an outcome that the gate leaves open', async () => {
    const { apply, done } = world(open);
    await expect(apply()).resolves.toMatchObject({ kind: 'resolved' });
    expect(done).toStrictEqual(['attempt asked about', 'outcome resolved as declined key-1']);
  });

  it('resolves a follow-up that the gate leaves open', async () => {
    const followed = orderOf({ status: 'approved', key: KEY, gate: GATE }, END, [
      { number: 1, status: 'unknown', key: FOLLOWING, gate: GATE },
    ]);
    const { apply, done } = world(followed);
    await apply({ key: FOLLOWING });
    expect(done).toStrictEqual(['follow-up asked about', 'follow-up resolved as 1 declined']);
  });

  it.each([
    ['another attempt', { key: 'other' as AttemptKey }],
    ['another gate', { gate: 'sim-b' as GateAlias }],
  ])('is refused without an inquiry for %s than the open one', async (_, change) => {
    const { apply, done } = world(open);
    await expect(apply(change)).resolves.toStrictEqual({ kind: 'refused', reason: 'another-attempt' });
    expect(done).toStrictEqual([]);
  });
});
