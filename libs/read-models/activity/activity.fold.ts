import type { Instant } from '@app/kernel';
import type { LogEvent } from '../engine/log-event';
import { canBeIndexed } from '../engine/entry-table';

/** `reveal`: a query that showed personal data. `session`: any other event of an operator's stream, such as a sign-in. */
export const ACTIVITY_KINDS = ['action', 'reveal', 'query', 'refusal', 'session', 'configuration'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** `ended`: the outcome of an action, which has the same `actionId`. */
export interface ActivityEntry {
  readonly key: string;
  readonly at: Instant;
  readonly kind: ActivityKind | 'ended';
  readonly actor: string;
  readonly claimedActor: string | null;
  readonly role: string | null;
  /** The action, the query, the cause of a refusal, or the event's type. */
  readonly name: string;
  /** An orderid, delivery, case, stream, merchant, gate, or the digest of a configuration. */
  readonly target: string | null;
  readonly actionId: string | null;
  readonly outcome: string | null;
  /** Rows of an answer, or refusals counted in one event. */
  readonly count: number | null;
}

interface Known {
  readonly actionId?: unknown;
  readonly action?: unknown;
  readonly outcome?: unknown;
  readonly query?: unknown;
  readonly rows?: unknown;
  readonly revealed?: unknown;
  readonly cause?: unknown;
  readonly count?: unknown;
  readonly role?: unknown;
  readonly target?: unknown;
  readonly digest?: unknown;
}

/** More digits than a stream's revisions need, so that keys sort as numbers. */
const REVISION_DIGITS = 12;

const textOf = (value: unknown): string | null => (typeof value === 'string' && canBeIndexed(value) ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const partsOf = (category: string, type: string, data: Known): Pick<ActivityEntry, 'kind' | 'name' | 'target' | 'count'> => {
  const target = textOf(data.target);
  if (category === 'configuration') return { kind: 'configuration', name: type, target: textOf(data.digest), count: null };
  if (typeof data.action === 'string') return { kind: 'action', name: data.action, target, count: null };
  if (data.actionId !== undefined) return { kind: 'ended', name: type, target: null, count: null };
  if (typeof data.query === 'string')
    return { kind: data.revealed === undefined ? 'query' : 'reveal', name: data.query, target, count: numberOf(data.rows) };
  if (typeof data.cause === 'string') return { kind: 'refusal', name: data.cause, target, count: numberOf(data.count) };
  return { kind: 'session', name: type, target, count: null };
};

/** Reads members instead of event types, so that new types are covered. */
export const activityEntry = ({ stream, category, revision, event, metadata }: LogEvent): ActivityEntry => {
  const data = event.data as Known;
  return {
    key: `${stream}@${revision.toString().padStart(REVISION_DIGITS, '0')}`,
    at: metadata.recordedAt,
    ...partsOf(category, event.type, data),
    actor: metadata.actor,
    claimedActor: metadata.claimedActor ?? null,
    role: textOf(data.role),
    actionId: textOf(data.actionId),
    outcome: textOf(data.outcome),
  };
};
