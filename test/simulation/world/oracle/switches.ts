import type { StoredEvent } from '@app/event-store';
import { OrderSwitches } from '@app/orders';
import { IDLE_LOOKS_STRETCHED } from '../virtual-process';
import type { World } from '../world';
import type { Report } from './report';

const FOLLOWED_EVERY_MS = IDLE_LOOKS_STRETCHED * 5_000;
/** A slow read of the log, and a request from its arrival to its last try. */
const READ_AND_ACCEPTED_WITHIN_MS = 20_000;
const FOLLOW_UPS: ReadonlySet<string> = new Set(['capture', 'refund', 'void']);
const DONE = 200;
/** Done, refused, the process knows no such gate, store unavailable or its answer lost; undefined: no answer. */
const ANSWERS: ReadonlySet<number | undefined> = new Set([undefined, DONE, 404, 409, 503, 504]);

interface Accepted {
  readonly orderId: string;
  readonly endpointId: string;
  readonly plan?: { readonly gates: readonly { readonly alias: string }[]; readonly route?: { readonly heldGates?: readonly string[] } };
}

interface Hold {
  readonly kind: string;
  readonly id: string;
  readonly heldMs: number;
  releasedMs: number;
}

export const acceptedIn = (events: readonly StoredEvent[]): readonly (Accepted & Pick<StoredEvent, 'id' | 'createdMs'>)[] =>
  events.flatMap(({ id, type, data, createdMs }) =>
    type === 'OrderAccepted' ? [{ ...(JSON.parse(data) as Accepted), id, createdMs }] : [],
  );

const holdsIn = (events: readonly StoredEvent[]): readonly Hold[] => {
  const holds: Hold[] = [];
  for (const { type, data, createdMs } of events) {
    if (type !== 'NewOrdersHeld' && type !== 'NewOrdersReleased') continue;
    const { kind, id } = JSON.parse(data) as Pick<Hold, 'kind' | 'id'>;
    const open = holds.find((hold) => hold.kind === kind && hold.id === id && hold.releasedMs === Infinity);
    if (type === 'NewOrdersHeld') holds.push({ kind, id, heldMs: createdMs, releasedMs: Infinity });
    else if (open !== undefined) open.releasedMs = createdMs;
  }
  return holds;
};

/**
 * No order is accepted for what its process holds, nor for a target held long enough that each process must have read it. A route names as
 * held only what was.
 */
export const checkHolds = (world: World, events: readonly StoredEvent[], report: Report): void => {
  for (const { about, status } of world.onCall.answers) if (!ANSWERS.has(status)) report('an operator is answered as the port promises', about, status);
  const holds = holdsIn(events);
  if (holds.length === 0) return;
  const { store, process } = world.storm;
  const isRead = store.unread === 0 && store.stalled === 0 && process.pauses === 0;
  for (const { id, createdMs, orderId, endpointId, plan } of acceptedIn(events)) {
    if (plan === undefined) continue;
    const uses = ({ kind, id: held }: Pick<Hold, 'kind' | 'id'>): boolean =>
      kind === 'endpoint' ? held === endpointId : plan.gates.some(({ alias }) => alias === held);
    for (const hold of world.instances.acceptedUnder.get(id) ?? [])
      if (uses(hold)) report('no order is accepted for what its process holds', orderId, { hold, plan });
    const readMs = createdMs - FOLLOWED_EVERY_MS - READ_AND_ACCEPTED_WITHIN_MS;
    for (const hold of holds)
      if (isRead && hold.heldMs < readMs && hold.releasedMs > createdMs && uses(hold)) report('each process follows what is held', orderId, { hold, plan, createdMs });
    for (const gate of plan.route?.heldGates ?? []) {
      if (uses({ kind: 'gate', id: gate })) report('a held gate is in no plan', orderId, plan);
      if (!holds.some((hold) => hold.id === gate && hold.heldMs <= createdMs)) report('a route names as held what was held', orderId, plan);
    }
  }
}; // prettier-ignore

/** Whatever is held or configured later, an accepted order goes only to gates of its plan. */
export const checkPlans = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const plans = new Map(acceptedIn(events).map(({ orderId, plan }) => [orderId, plan]));
  for (const { profile, calls } of world.gates)
    for (const { orderId, kind } of calls.values())
      if (!FOLLOW_UPS.has(kind) && plans.get(orderId)?.gates.some(({ alias }) => alias === profile.alias) !== true)
        report('an accepted order keeps its plan', orderId, profile.alias);
};

/** At rest each process has the newest configuration and the same holds: none, since all were released. */
export const checkConfigured = (world: World, report: Report): void => {
  if (!world.onCall.isAtRest) report('a hold is released and a configuration applied once nothing fails', 'on call', world.onCall.answers.slice(-3));
  for (const _ of world.outdatedProcesses) report('each process takes the configuration that was applied', 'process', 'another one');
  for (const { parts } of world.processes)
    for (const hold of parts.made(OrderSwitches).holds()) report('each process follows a release', hold.id, hold);
}; // prettier-ignore
