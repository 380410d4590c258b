import type { Schemas } from '../port';

type Gate = Schemas['ListedGate'];
type Minute = Schemas['CallMinute'];

/** Failing: this share of the calls of a minute failed or had an unknown outcome. */
const FAILING_SHARE = 0.2;
/** Fewer calls prove nothing. */
const CALLS_MIN = 3;
/** The newest minutes in which a gate that fails must show it. */
const NEWEST_MS = 10 * 60_000;

export interface GateHealth {
  readonly kind: 'failing' | 'held' | 'off' | 'open' | 'probing' | 'well';
  /** ISO 8601; undefined if all is well. */
  readonly since?: string;
}

const totalOf = ({ unknown, approved, declined, failed, pending }: Minute): number => unknown + approved + declined + failed + pending;
const badOf = ({ unknown, failed }: Minute): number => unknown + failed;
const isBad = (minute: Minute): boolean => badOf(minute) > 0 && badOf(minute) >= totalOf(minute) * FAILING_SHARE;

/** The begin of the unbroken run of bad minutes at the end of the hour, if there is one. */
const failingSince = (minutes: readonly Minute[], nowMs: number): string | undefined => {
  let since: string | undefined;
  let calls = 0;
  for (const minute of minutes.toReversed()) {
    if (!isBad(minute)) break;
    since = minute.at;
    calls += totalOf(minute);
  }
  const newest = minutes.at(-1);
  return newest !== undefined && calls >= CALLS_MIN && nowMs - Date.parse(newest.at) <= NEWEST_MS ? since : undefined;
};

/** How a gate does, and since when: what an operator decided first, then the circuit, then the calls of the last minutes. */
export const healthOf = ({ heldSince, circuit, since, lastHour }: Gate, nowMs: number): GateHealth => {
  if (heldSince !== null) return { kind: 'held', since: heldSince };
  if (circuit === 'open' || circuit === 'half-open')
    return { kind: circuit === 'open' ? 'open' : 'probing', ...(since === null ? {} : { since }) };
  const begin = failingSince(lastHour?.minutes ?? [], nowMs);
  if (begin !== undefined) return { kind: 'failing', since: begin };
  return { kind: circuit === 'off' ? 'off' : 'well' };
};

const SEVERITY: Readonly<Record<GateHealth['kind'], number>> = { open: 0, failing: 1, probing: 2, held: 3, off: 4, well: 5 };

/** The worst first, then by name. */
export const byHealth =
  (nowMs: number) =>
  (a: Gate, b: Gate): number =>
    SEVERITY[healthOf(a, nowMs).kind] - SEVERITY[healthOf(b, nowMs).kind] || a.alias.localeCompare(b.alias);

/** The minutes of the last hour as a line, null where there was no call. */
export const latencyLine = (minutes: readonly Minute[], untilMs: number): readonly (number | null)[] => {
  const byMinute = new Map(minutes.map(({ at, p95Ms }) => [Math.floor(Date.parse(at) / 60_000), p95Ms]));
  const last = Math.floor(untilMs / 60_000);
  return Array.from({ length: 60 }, (_, index) => byMinute.get(last - 59 + index) ?? null);
};
