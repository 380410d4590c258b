import type { Schemas } from '../port';
import type { Tone } from '../ui/badge';
import type { IconName } from '../ui/icons';

type Gate = Schemas['ListedGate'];
type Minute = Schemas['CallMinute'];
type Calls = Schemas['GateCalls']['calls'];

/** Failing: this share of the calls of a minute failed or had an unknown outcome. */
const FAILING_SHARE = 0.2;
/** Fewer calls prove nothing. */
const CALLS_MIN = 3;
/** The newest minutes in which a gate that fails must show it. */
const NEWEST_MS = 10 * 60_000;
const HOUR_MS = 60 * 60_000;

type Kind = 'failing' | 'held' | 'off' | 'open' | 'probing' | 'well';

interface Failing {
  /** ISO 8601. */
  readonly since: string;
  /** Its calls failed as far back as the last hour shows. */
  readonly isLonger: boolean;
}

export interface GateHealth {
  readonly kind: Kind;
  /** ISO 8601; undefined if all is well. */
  readonly since?: string;
  /** Of a gate that new orders avoid: by its last calls before they did. */
  readonly failing?: Failing;
}

export const totalOf = ({ approved, declined, failed, unknown, pending }: Calls): number =>
  approved + declined + failed + unknown + pending;
const badOf = ({ unknown, failed }: Calls): number => unknown + failed;
const isBad = (minute: Minute): boolean => badOf(minute) > 0 && badOf(minute) >= totalOf(minute) * FAILING_SHARE;

/** The bad minutes up to `untilMs`, back to the last calls that prove a gate which works: one call that went well between them does not. */
const failingOf = (minutes: readonly Minute[], untilMs: number, nowMs: number): Failing | undefined => {
  const newest = minutes.at(-1);
  if (newest === undefined || untilMs - Date.parse(newest.at) > NEWEST_MS) return undefined;
  let since: string | undefined;
  let calls = 0;
  let goodCalls = 0;
  for (const minute of minutes.toReversed()) {
    if (isBad(minute)) {
      since = minute.at;
      calls += totalOf(minute);
      goodCalls = 0;
    } else goodCalls += totalOf(minute);
    if (goodCalls >= CALLS_MIN) break;
  }
  if (since === undefined || calls < CALLS_MIN) return undefined;
  return { since, isLonger: goodCalls < CALLS_MIN && nowMs - Date.parse(since) > HOUR_MS - NEWEST_MS };
};

/** How a gate does, and since when: what an operator decided first, then the circuit, then the calls of the last minutes. */
export const healthOf = ({ heldSince, circuit, since, lastHour }: Gate, nowMs: number): GateHealth => {
  const isAvoided = circuit === 'open' || circuit === 'half-open';
  const avoidedSince = [heldSince, isAvoided ? since : null].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  // A gate that new orders avoid has no newer calls.
  const found = failingOf(lastHour?.minutes ?? [], Math.min(nowMs, ...avoidedSince), nowMs);
  const failing = found === undefined ? {} : { failing: found };
  if (heldSince !== null) return { kind: 'held', since: heldSince, ...failing };
  if (isAvoided) return { kind: circuit === 'open' ? 'open' : 'probing', ...(since !== null && { since }), ...failing };
  if (found !== undefined) return { kind: 'failing', since: found.since, failing: found };
  return { kind: circuit === 'off' ? 'off' : 'well' };
};

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly icon?: IconName;
}

export const HEALTH: Readonly<Record<Kind, Words>> = {
  open: { tone: 'bad', word: 'Avoided' },
  failing: { tone: 'bad', word: 'Failing' },
  probing: { tone: 'warn', word: 'Probing' },
  held: { tone: 'warn', word: 'Held', icon: 'pause' },
  off: { tone: 'calm', word: 'No breaker' },
  well: { tone: 'ok', word: 'Healthy' },
};

/** Of a gate that both fails and is held, only the first needs somebody. */
const severityOf = ({ kind, failing }: GateHealth): number =>
  ({ open: 0, failing: 1, probing: 3, held: failing === undefined ? 4 : 2, off: 5, well: 5 })[kind];

/** The worst first, then the one with the most failed and unknown calls, then by name. */
export const byHealth =
  (nowMs: number) =>
  (a: Gate, b: Gate): number => {
    const callsOf = ({ lastHour }: Gate): number => (lastHour === null ? 0 : badOf(lastHour.calls));
    return severityOf(healthOf(a, nowMs)) - severityOf(healthOf(b, nowMs)) || callsOf(b) - callsOf(a) || a.alias.localeCompare(b.alias);
  };

/** Those that need somebody, the worst first: failing, or avoided after failed calls. */
export const failingGates = (gates: readonly Gate[], nowMs: number): readonly Gate[] =>
  gates
    .filter((gate) => {
      const { kind, failing } = healthOf(gate, nowMs);
      return failing !== undefined || kind === 'open';
    })
    .sort(byHealth(nowMs));

/** The share of approvals among the calls that a gate answered with a result, in whole percent; undefined without any. */
export const approvalPercent = ({ approved, declined, failed, unknown }: Calls): number | undefined => {
  const ended = approved + declined + failed + unknown;
  return ended === 0 ? undefined : Math.round((approved * 100) / ended);
};

/** The minutes of the last hour as a line, null where there was no call. */
export const latencyLine = (minutes: readonly Minute[], untilMs: number): readonly (number | null)[] => {
  const byMinute = new Map(minutes.map(({ at, p95Ms }) => [Math.floor(Date.parse(at) / 60_000), p95Ms]));
  const last = Math.floor(untilMs / 60_000);
  return Array.from({ length: 60 }, (_, index) => byMinute.get(last - 59 + index) ?? null);
};
