import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import type { Instant } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { endedSessions, endedSessionsCodec, hasEnded, SESSION_MS_MAX, type EndedSessionsEvent } from './ended-sessions';

goldenSpec(endedSessionsCodec, join(__dirname, 'golden/operator-session'));

const { given } = deciderSpec(endedSessions);
const NOW = 1_704_067_200_000 as Instant;
const HOUR_MS = 3_600_000;
const later = (ms: number) => (NOW + ms) as Instant;
const ended = (session: string, endedAt = NOW): EndedSessionsEvent => ({ type: 'OperatorSessionEnded', data: { session, endedAt } });
const endedAll = (operator: string, endedAt = NOW): EndedSessionsEvent => ({ type: 'OperatorSessionsEnded', data: { operator, endedAt } });
const end = (session: string) => ({ type: 'EndSession' as const, data: { session, now: NOW } });
const endAll = (operator: string) => ({ type: 'EndSessions' as const, data: { operator, now: NOW } });
const after = (...events: readonly EndedSessionsEvent[]) => events.reduce(endedSessions.evolve, endedSessions.initial);
const session = (id: string, name: string, startedAt = later(-HOUR_MS)) => ({ id, name, startedAt });

describe('endedSessions', () => {
  it('ends a session once, and all sessions of an operator again, because others may have begun', () => {
    given().when(end('s-1')).then(ended('s-1'));
    given(ended('s-1')).when(end('s-1')).thenRejected({ reason: 'ended-before' });
    given(ended('s-1')).when(end('s-2')).then(ended('s-2'));
    given(endedAll('jane')).when(endAll('jane')).then(endedAll('jane'));
  });

  it('has a session ended by itself, or with those of its operator that had begun by then', () => {
    const state = after(ended('s-1'), endedAll('kim'));
    expect(hasEnded(state, session('s-1', 'jane'))).toBe(true);
    expect(hasEnded(state, session('s-2', 'jane'))).toBe(false);
    expect(hasEnded(state, session('s-3', 'kim'))).toBe(true);
    expect(hasEnded(state, session('s-4', 'kim', NOW))).toBe(true);
    expect(hasEnded(state, session('s-5', 'kim', later(1)))).toBe(false);
  });

  it('forgets an end one hour after the longest session would be over', () => {
    const known = (ms: number) => [...after(ended('s-1'), ended('s-2', later(ms))).sessions.keys()];
    expect(known(SESSION_MS_MAX + HOUR_MS - 1)).toStrictEqual(['s-1', 's-2']);
    expect(known(SESSION_MS_MAX + HOUR_MS)).toStrictEqual(['s-2']);
    expect([...after(endedAll('jane'), endedAll('kim', later(2 * SESSION_MS_MAX))).operators.keys()]).toStrictEqual(['kim']);
  });

  it('keeps at most 2,000 ends, and counts every session that began before a dropped one as ended', () => {
    const state = after(...Array.from({ length: 2_002 }, (_, index) => ended(`s-${index}`, later(index))));
    expect(state.sessions.size).toBe(2_000);
    expect(hasEnded(state, session('s-0', 'jane'))).toBe(true);
    expect(hasEnded(state, session('another', 'jane', later(1)))).toBe(true);
    expect(hasEnded(state, session('another', 'jane', later(2)))).toBe(false);
  });
});
