import { unreachable } from '@app/kernel';

export interface CircuitSettings {
  /** Calls that ended longer ago do not count. */
  readonly windowMs: number;
  /** Below this number the window is not judged. */
  readonly callsMin: number;
  /** Per cent of failed calls that opens the circuit. */
  readonly failurePercent: number;
  /** Doubled after each failed probe, up to the maximum. */
  readonly openMs: number;
  readonly openMsMax: number;
  readonly probes: number;
}

interface Bucket {
  readonly startedAt: number;
  readonly calls: number;
  readonly failures: number;
}

/** All times are monotonic milliseconds of one process, so that a clock change does not hold a gate back. */
export type Circuit =
  | { readonly state: 'closed'; readonly since: number; readonly buckets: readonly Bucket[] }
  | { readonly state: 'open'; readonly since: number; readonly until: number; readonly openings: number }
  | {
      readonly state: 'half-open';
      readonly since: number;
      readonly openings: number;
      readonly successes: number;
      /** Undefined once a call has ended since. */
      readonly probedAt: number | undefined;
    };

export interface EndedCall {
  readonly begunAt: number;
  readonly endedAt: number;
  readonly isFailure: boolean;
}

const BUCKETS = 10;
const PER_CENT = 100;
/** After this time an admitted order no longer blocks the next probe. */
export const PROBE_MS = 60_000;

export const closedCircuit = (at: number): Circuit => ({ state: 'closed', since: at, buckets: [] });

const opened = (at: number, openings: number, { openMs, openMsMax }: CircuitSettings): Circuit => ({
  state: 'open',
  since: at,
  until: at + Math.min(openMs * 2 ** (openings - 1), openMsMax),
  openings,
});

const recent = (buckets: readonly Bucket[], at: number, { windowMs }: CircuitSettings): readonly Bucket[] =>
  buckets.filter(({ startedAt }) => startedAt > at - windowMs);

const withCall = (buckets: readonly Bucket[], { endedAt, isFailure }: EndedCall, { windowMs }: CircuitSettings): readonly Bucket[] => {
  const last = buckets.at(-1);
  const isOfLast = last !== undefined && endedAt < last.startedAt + windowMs / BUCKETS;
  const { startedAt, calls, failures } = isOfLast ? last : { startedAt: endedAt, calls: 0, failures: 0 };
  const bucket = { startedAt, calls: calls + 1, failures: failures + Number(isFailure) };
  return [...(isOfLast ? buckets.slice(0, -1) : buckets), bucket];
};

/** Calls and failures of the window; zero unless the circuit is closed. */
export const countsOf = (
  circuit: Circuit,
  at: number,
  settings: CircuitSettings,
): { readonly calls: number; readonly failures: number } => {
  const buckets = circuit.state === 'closed' ? recent(circuit.buckets, at, settings) : [];
  return {
    calls: buckets.reduce((sum, { calls }) => sum + calls, 0),
    failures: buckets.reduce((sum, { failures }) => sum + failures, 0),
  };
};

export const circuitAt = (circuit: Circuit, at: number): Circuit =>
  circuit.state === 'open' && at >= circuit.until
    ? { state: 'half-open', since: circuit.until, openings: circuit.openings, successes: 0, probedAt: undefined }
    : circuit;

const afterCallOfClosed = (circuit: Extract<Circuit, { state: 'closed' }>, call: EndedCall, settings: CircuitSettings): Circuit => {
  const buckets = withCall(recent(circuit.buckets, call.endedAt, settings), call, settings);
  const next: Circuit = { ...circuit, buckets };
  const { calls, failures } = countsOf(next, call.endedAt, settings);
  const isBad = calls >= settings.callsMin && failures * PER_CENT >= calls * settings.failurePercent;
  return isBad && call.isFailure ? opened(call.endedAt, 1, settings) : next;
};

/** A call that began before the current state does not count. */
export const afterCall = (before: Circuit, call: EndedCall, settings: CircuitSettings): Circuit => {
  const circuit = circuitAt(before, call.endedAt);
  if (call.begunAt < circuit.since) return circuit;
  switch (circuit.state) {
    case 'closed':
      return afterCallOfClosed(circuit, call, settings);
    case 'open':
      return circuit;
    case 'half-open': {
      if (call.isFailure) return opened(call.endedAt, circuit.openings + 1, settings);
      const successes = circuit.successes + 1;
      return successes >= settings.probes ? closedCircuit(call.endedAt) : { ...circuit, successes, probedAt: undefined };
    }
    default:
      return unreachable(circuit);
  }
};

/** A half-open circuit admits one order at a time, as the probe. */
export const probe = (before: Circuit, at: number): { readonly circuit: Circuit; readonly isAdmitted: boolean } => {
  const circuit = circuitAt(before, at);
  if (circuit.state !== 'half-open') return { circuit, isAdmitted: circuit.state === 'closed' };
  const isProbed = circuit.probedAt !== undefined && at < circuit.probedAt + PROBE_MS;
  return isProbed ? { circuit, isAdmitted: false } : { circuit: { ...circuit, probedAt: at }, isAdmitted: true };
};
