import fc from 'fast-check';
import { afterCall, circuitAt, closedCircuit, countsOf, probe, PROBE_MS, type Circuit, type CircuitSettings } from './circuit';

const SETTINGS: CircuitSettings = { windowMs: 60_000, callsMin: 4, failurePercent: 50, openMs: 30_000, openMsMax: 100_000, probes: 2 };

const call = (endedAt: number, isFailure: boolean, begunAt = endedAt) => ({ begunAt, endedAt, isFailure });
const after = (circuit: Circuit, ...calls: readonly ReturnType<typeof call>[]): Circuit =>
  calls.reduce((state, one) => afterCall(state, one, SETTINGS), circuit);
const opened = (at = 0): Circuit => after(closedCircuit(at), ...[1, 2, 3, 4].map((ms) => call(at + ms, true)));

describe('the circuit of a gate', () => {
  it('stays closed below the minimum number of calls', () => {
    expect(after(closedCircuit(0), call(1, true), call(2, true), call(3, true)).state).toBe('closed');
  });

  it('opens with the failure that reaches the threshold', () => {
    const calls = [call(1, false), call(2, false), call(3, true), call(4, true)];
    expect(after(closedCircuit(0), ...calls.slice(0, 3)).state).toBe('closed');
    expect(after(closedCircuit(0), ...calls)).toStrictEqual({ state: 'open', since: 4, until: 30_004, openings: 1 });
  });

  it('stays closed below the threshold', () => {
    const calls = Array.from({ length: 100 }, (_, index) => call(index, index % 3 === 2));
    expect(after(closedCircuit(0), ...calls).state).toBe('closed');
  });

  it('ignores calls that are older than its window', () => {
    const old = [1, 2, 3].map((ms) => call(ms, true));
    expect(after(closedCircuit(0), ...old, call(60_004, true)).state).toBe('closed');
    expect(countsOf(after(closedCircuit(0), ...old), 60_004, SETTINGS)).toStrictEqual({ calls: 0, failures: 0 });
    expect(after(closedCircuit(0), ...old, call(59_999, true)).state).toBe('open');
  });

  it('admits one probe at a time after its open time', () => {
    expect(probe(opened(), 30_003)).toMatchObject({ isAdmitted: false, circuit: { state: 'open' } });
    const first = probe(opened(), 30_004);
    expect(first).toMatchObject({ isAdmitted: true, circuit: { state: 'half-open' } });
    expect(probe(first.circuit, 30_005).isAdmitted).toBe(false);
    expect(probe(after(first.circuit, call(30_006, false)), 30_007).isAdmitted).toBe(true);
  });

  it('admits another probe if the last one made no call in time', () => {
    const { circuit } = probe(opened(), 30_004);
    expect(probe(circuit, 30_004 + PROBE_MS - 1).isAdmitted).toBe(false);
    expect(probe(circuit, 30_004 + PROBE_MS).isAdmitted).toBe(true);
  });

  it('closes with an empty window after enough successful probes', () => {
    const closed = after(opened(), call(30_010, false), call(30_011, false));
    expect(closed).toStrictEqual(closedCircuit(30_011));
  });

  it('opens again after one failure, for twice as long each time up to the maximum', () => {
    let circuit = opened();
    const lengths: number[] = [];
    for (let round = 0; round < 4; round++) {
      if (circuit.state !== 'open') throw new Error(circuit.state);
      lengths.push(circuit.until - circuit.since);
      circuit = after(circuit, call(circuit.until, false), call(circuit.until + 1, true));
    }
    expect(lengths).toStrictEqual([30_000, 60_000, 100_000, 100_000]);
  });

  it('starts with the initial open time again after it was closed', () => {
    const closed = after(opened(), call(30_010, true), call(90_011, false), call(90_012, false));
    expect(closed.state).toBe('closed');
    expect(after(closed, ...[1, 2, 3, 4].map((ms) => call(90_020 + ms, true)))).toMatchObject({ state: 'open', openings: 1 });
  });

  it('ignores calls that began before its current state', () => {
    const halfOpen = circuitAt(opened(), 30_004);
    expect(after(halfOpen, call(30_010, true, 30_003))).toBe(halfOpen);
    expect(after(halfOpen, call(30_010, false, 3), call(30_011, false, 4))).toBe(halfOpen);
    const closed = closedCircuit(1_000);
    expect(after(closed, ...[1, 2, 3, 4].map((ms) => call(1_000 + ms, true, 999)))).toBe(closed);
  });

  it('stays open for the same time after late failures', () => {
    expect(after(opened(), call(10, true), call(11, true))).toStrictEqual(opened());
  });

  const anySettings: fc.Arbitrary<CircuitSettings> = fc
    .record({
      windowMs: fc.integer({ min: 1_000, max: 100_000 }),
      callsMin: fc.integer({ min: 1, max: 10 }),
      failurePercent: fc.integer({ min: 1, max: 100 }),
      openMs: fc.integer({ min: 1_000, max: 50_000 }),
      probes: fc.integer({ min: 1, max: 5 }),
    })
    .chain((some) => fc.integer({ min: some.openMs, max: 400_000 }).map((openMsMax) => ({ ...some, openMsMax })));
  const anySteps = fc.array(
    fc.record({ kind: fc.constantFrom('call', 'probe', 'look'), ms: fc.nat({ max: 20_000 }), tookMs: fc.nat({ max: 30_000 }), isFailure: fc.boolean() }), // prettier-ignore
    { maxLength: 80 },
  );

  it('changes only from closed to open to half-open to either, and can always close', () => {
    const NEXT: Readonly<Record<Circuit['state'], readonly Circuit['state'][]>> = {
      closed: ['closed', 'open'],
      // A call may end after the time of an open circuit is over, which takes both steps.
      open: ['open', 'half-open', 'closed'],
      'half-open': ['half-open', 'open', 'closed'],
    };
    fc.assert(
      fc.property(anySettings, anySteps, (settings, steps) => {
        let circuit = closedCircuit(0);
        let at = 0;
        let admitted: number | undefined;
        for (const { kind, ms, tookMs, isFailure } of steps) {
          at += ms;
          const before = circuit;
          if (kind === 'call') {
            circuit = afterCall(circuit, { begunAt: Math.max(0, at - tookMs), endedAt: at, isFailure }, settings);
            if (circuit !== before) admitted = undefined;
          } else if (kind === 'look') circuit = circuitAt(circuit, at);
          else {
            const { circuit: next, isAdmitted } = probe(circuit, at);
            if (next.state === 'half-open' && isAdmitted) {
              // A half-open circuit never admits two at a time.
              if (admitted !== undefined && before.state === 'half-open') expect(at - admitted).toBeGreaterThanOrEqual(PROBE_MS);
              admitted = at;
            }
            expect(isAdmitted && next.state === 'open').toBe(false);
            circuit = next;
          }
          expect(NEXT[before.state]).toContain(circuit.state);
          expect(circuit.since).toBeLessThanOrEqual(at);
          if (circuit.state === 'open') {
            expect(circuit.until - circuit.since).toBeLessThanOrEqual(settings.openMsMax);
            expect(circuit.until - circuit.since).toBeGreaterThanOrEqual(settings.openMs);
          }
          if (circuit.state === 'half-open') expect(circuit.successes).toBeLessThan(settings.probes);
          if (circuit.state === 'closed') expect(circuit.buckets.length).toBeLessThanOrEqual(12);
        }
        // After any history, time and successes are enough for every gate to return.
        const end = at + settings.openMsMax + 1;
        for (let success = 0; success < settings.probes; success++)
          circuit = afterCall(circuit, { begunAt: end + success, endedAt: end + success, isFailure: false }, settings);
        expect(circuit.state).toBe('closed');
      }),
      { numRuns: 500 },
    );
  });
});
