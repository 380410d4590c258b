import type { Decider, Instant } from '@app/kernel';
import { eventCodec, f, streamName, type EventCodec, type StoredEvent, type StreamName } from '@app/event-store';

type OperatorSessionEnded = {
  readonly type: 'OperatorSessionEnded';
  readonly data: {
    /** Its random id, which is also in the sealed cookie. */
    readonly session: string;
    readonly endedAt: Instant;
  };
};

type OperatorSessionsEnded = {
  readonly type: 'OperatorSessionsEnded';
  readonly data: {
    /** The person whose sessions ended: all that had begun by then. */
    readonly operator: string;
    readonly endedAt: Instant;
  };
};

export type EndedSessionsEvent = OperatorSessionEnded | OperatorSessionsEnded;

const CATEGORY = 'operatorSession';

/** One stream for all, because every process must know every ended session. */
export const endedSessionsStream = (): StreamName => streamName(CATEGORY, 'orchestrator');

export const endedSessionsCodec: EventCodec<EndedSessionsEvent> = eventCodec<EndedSessionsEvent>(CATEGORY, {
  OperatorSessionEnded: {
    version: 1,
    meaning: 'An operator, who is the actor, signed out. Every process refuses the session and every copy of its cookie.',
    schema: f.object<OperatorSessionEnded['data']>({ session: f.id(), endedAt: f.instant() }),
  },
  OperatorSessionsEnded: {
    version: 1,
    meaning: 'An admin, who is the actor, ended all sessions of an operator that had begun by then. The reason is with the action.',
    schema: f.object<OperatorSessionsEnded['data']>({ operator: f.id(), endedAt: f.instant() }),
  },
});

/** No session lasts longer after its start. */
export const SESSION_MS_MAX = 10 * 3_600_000;
/** Longer than a session, because the clocks of two processes may differ. */
const KEPT_MS = SESSION_MS_MAX + 3_600_000;
const KEPT_MAX = 2_000;

export interface EndedSessions {
  /** Time of the end by session, the oldest first. */
  readonly sessions: ReadonlyMap<string, Instant>;
  /** The same by operator. */
  readonly operators: ReadonlyMap<string, Instant>;
  /** Every session that had begun by then counts as ended, because ends up to then were forgotten. */
  readonly forgottenTo: Instant;
}

type EndCommand =
  | { readonly type: 'EndSession'; readonly data: { readonly session: string; readonly now: Instant } }
  | { readonly type: 'EndSessions'; readonly data: { readonly operator: string; readonly now: Instant } };

/** With an end, without those that no longer matter; and the newest of those dropped for want of room. */
const withEnd = (ends: ReadonlyMap<string, Instant>, name: string, endedAt: Instant) => {
  const kept = new Map(ends);
  kept.delete(name);
  kept.set(name, endedAt);
  let forgotten = 0;
  for (const [known, at] of kept) {
    const isOver = endedAt - at >= KEPT_MS;
    if (!isOver && kept.size <= KEPT_MAX) break;
    if (!isOver) forgotten = Math.max(forgotten, at);
    kept.delete(known);
  }
  return { kept, forgotten };
};

export const endedSessions: Decider<EndCommand, EndedSessionsEvent, EndedSessions, { readonly reason: 'ended-before' }> = {
  initial: { sessions: new Map(), operators: new Map(), forgottenTo: 0 as Instant },
  evolve: (state, { type, data }) => {
    const [list, name] = type === 'OperatorSessionEnded' ? (['sessions', data.session] as const) : (['operators', data.operator] as const);
    const { kept, forgotten } = withEnd(state[list], name, data.endedAt);
    return { ...state, [list]: kept, forgottenTo: Math.max(state.forgottenTo, forgotten) as Instant };
  },
  decide: ({ type, data }, { sessions }) => {
    if (type === 'EndSessions') return [{ type: 'OperatorSessionsEnded', data: { operator: data.operator, endedAt: data.now } }];
    if (sessions.has(data.session)) return { reason: 'ended-before' };
    return [{ type: 'OperatorSessionEnded', data: { session: data.session, endedAt: data.now } }];
  },
};

/** True if the end can no longer concern a session. */
export const isOldEnd = (stored: StoredEvent, now: Instant): boolean => now - endedSessionsCodec.decode(stored).data.endedAt >= KEPT_MS;

export const hasEnded = (
  { sessions, operators, forgottenTo }: EndedSessions,
  { id, name, startedAt }: { readonly id: string; readonly name: string; readonly startedAt: Instant },
): boolean => sessions.has(id) || startedAt <= Math.max(forgottenTo, operators.get(name) ?? 0);
