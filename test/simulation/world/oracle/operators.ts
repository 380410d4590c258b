import type { StoredEvent } from '@app/event-store';
import { LONGEST_FLIGHT_MS } from '../gate-actor';
import { isFinal, statusOf } from '../merchant-records';
import type { Resolution } from '../operator-actor';
import type { World } from '../world';
import type { Report } from './report';

const DONE = 200;
const REFUSED = 409;
const UNAUTHORISED = 401;
const DECIDES_WITHIN_MS = 60_000;
/** Allowed answers: done, refused, unknown here, store unavailable or its answer lost, read model unavailable. */
const ANSWERS: ReadonlySet<number | undefined> = new Set([undefined, DONE, 202, 404, REFUSED, 503, 504]);

/** Orders with false information from a gate or operator; their answers may differ from the gates' ledgers. */
export const untrueOrders = (world: World): ReadonlySet<string> =>
  new Set([
    ...world.gates.flatMap(({ brokenPromises }) => [...brokenPromises]),
    ...world.operators.resolutions
      .filter(({ isByTheBook, status }) => !isByTheBook && status !== REFUSED && status !== 404)
      .map(({ orderId }) => orderId),
    ...overtakenOrders(world),
  ]);

/** Orders that an operator resolved while the request was in flight, and the gate processed it later. */
const overtakenOrders = ({ gates, operators }: World): readonly string[] =>
  gates
    .flatMap(({ book }) => book)
    .filter(({ orderId, outcome }) =>
      operators.resolutions.some(
        (one) =>
          one.orderId === orderId &&
          outcome.kind !== 'payer-needed' &&
          outcome.processedAt > one.atMs - DECIDES_WITHIN_MS &&
          one.status !== REFUSED,
      ),
    )
    .map(({ orderId }) => orderId);

/** A settlement by an operator is recorded once, is final, and never happens while the gate may still act. */
export const checkOperators = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const { resolutions, answers, impostorsTold } = world.operators;
  for (const status of impostorsTold) if (status !== UNAUTHORISED) report('an impostor is told nothing', 'operator port', status);
  for (const { status, orderId } of resolutions) if (!ANSWERS.has(status)) report('an operator is answered as the port promises', orderId, status);
  for (const { status, about } of answers) if (!ANSWERS.has(status)) report('an operator is answered as the port promises', about, status);
  checkResends(world, events, report);
  const done = resolutions.filter(({ status }) => status === DONE);
  const settled = new Set<string>();
  for (const { orderId, followUp } of done) {
    const name = `${orderId} ${followUp ?? ''}`;
    if (settled.has(name)) report('an outcome is settled by one person', orderId, resolutions.filter((one) => one.orderId === orderId));
    settled.add(name);
  }
  for (const resolution of done) {
    checkFlight(world, resolution, report);
    checkRecorded(resolution, events, report);
    if (resolution.followUp === undefined) checkStays(world, resolution, report);
  }
}; // prettier-ignore

/** A promised resend reaches the shop, even if the shop accepts nothing. An attempt in flight at that time may count. */
const checkResends = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const records = new Map(world.merchants.flatMap(({ orders }) => [...orders.values()].map((record) => [record.order?.orderId, record])));
  for (const { orderId, deliveryId, isDueAlready, atMs } of world.operators.resends) {
    const { callbacks = [], takesCallbacks = true } = records.get(orderId) ?? {};
    if (callbacks.some((one) => one.atMs >= atMs && (one.wasAcknowledged || !takesCallbacks))) continue;
    const [webhookId = ''] = deliveryId.split(':');
    const wasUnderWay = events.some(({ type, data, createdMs }) => type === 'CallbackDelivered' && data.includes(webhookId) && createdMs >= atMs); // prettier-ignore
    if (!isDueAlready || !wasUnderWay) report('a callback that is promised again is sent again', orderId, { atMs, callbacks });
  }
};

const checkFlight = (world: World, { orderId, followUp, atMs }: Resolution, report: Report): void => {
  if (followUp !== undefined) return;
  const calls = world.gates.flatMap(({ calls: all }) => [...all.values()].filter((call) => call.orderId === orderId && call.atMs < atMs));
  for (const { key, endedAtMs, atMs: sentAtMs } of calls)
    if (atMs < Math.min(endedAtMs ?? Infinity, sentAtMs + LONGEST_FLIGHT_MS))
      report('a person is refused while a call is under way', orderId, { key, sentAtMs, endedAtMs, atMs });
}; // prettier-ignore

const checkRecorded = ({ by, orderId, followUp }: Resolution, events: readonly StoredEvent[], report: Report): void => {
  const type = followUp === undefined ? 'AttemptSettled' : 'FollowUpSettled';
  const isBegun = events.some(({ type: own, data, metadata }) => own === 'OperatorActionBegun' && data.includes(orderId) && metadata.includes(by));
  if (!isBegun) report('what an operator does is in the audit', orderId, by);
  if (!events.some(({ type: own, metadata }) => own === type && metadata.includes(`operator:${by}`))) report('a person is named by what it settled', orderId, by);
}; // prettier-ignore

const checkStays = (world: World, { orderId, as }: Resolution, report: Report): void => {
  for (const { orders } of world.merchants)
    for (const { order, clientOrderId, statuses } of orders.values()) {
      const last = statuses.at(-1);
      if (order?.orderId === orderId && last !== undefined && isFinal(last) && statusOf(last) !== as)
        report('what a person settled stays', clientOrderId, { as, is: statusOf(last) });
    }
};

/** A contradiction by a gate is recorded and alarmed, and only a real one. */
export const checkContradictions = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const untrue = untrueOrders(world);
  const conflicts = events.filter(({ type }) => type === 'LateResultConflict' || type === 'LateFollowUpConflict');
  const alarms = world.instances.lines.filter(({ event }) => event === 'order.gate-contradicts').length;
  if (world.instances.deaths === 0 && alarms < conflicts.length) report('a contradiction is alarmed', 'gates', { alarms, conflicts: conflicts.length });
  const orderOf = new Map(world.gates.flatMap(({ calls }) => [...calls.values()].map(({ key, orderId }) => [key as string, orderId as string])));
  for (const { type, data, stream } of conflicts) {
    const { attemptKey } = JSON.parse(data) as { readonly attemptKey?: string };
    const orderId = orderOf.get(attemptKey ?? '');
    if (type === 'LateResultConflict' && (orderId === undefined || !untrue.has(orderId))) report('a contradiction is one that a gate or a person made', stream, data);
  }
}; // prettier-ignore
