import { addMs, type GateAlias } from '@app/kernel';
import { ACCEPTED_AT, VirtualClock } from '@app/testing';
import { GateCircuits, type CircuitChange } from './gate-circuits';

const A = 'sim-a' as GateAlias;
const B = 'sim-b' as GateAlias;
const OFF = 'sim-off' as GateAlias;
const CALL_MS = 30_000;
const circuit = { windowMs: 60_000, callsMin: 4, failurePercent: 50, openMs: 30_000, openMsMax: 120_000, probes: 2 };

const setUp = () => {
  const clock = new VirtualClock();
  const turns: CircuitChange[] = [];
  const ports = { clock, monotonic: clock, onTurn: (turn: CircuitChange) => turns.push(turn) };
  const circuits = new GateCircuits([{ alias: A, circuit }, { alias: B, circuit }, { alias: OFF }], ports);
  const ended = (gate: GateAlias, outcome: string, cause?: string, times = 4, call = 'charge') => {
    for (let count = 0; count < times; count++) circuits.began(gate, call, CALL_MS)(outcome, cause);
  };
  return { clock, circuits, ended, turns };
};

describe('GateCircuits', () => {
  it('starts with closed circuits, and reports a gate without a circuit as off', () => {
    const { circuits } = setUp();
    const closed = { state: 'closed', since: ACCEPTED_AT, calls: 0, failures: 0 };
    expect(circuits.states()).toStrictEqual([
      { gate: A, ...closed },
      { gate: B, ...closed },
      { gate: OFF, state: 'off', calls: 0, failures: 0 },
    ]);
    expect([A, B, OFF].map((gate) => circuits.admits(gate))).toStrictEqual([true, true, true]);
  });

  it.each([
    ['unknown', 'timeout'],
    ['unknown', 'connection-lost'],
    ['unknown', 'unrecognised-answer'],
    ['unknown', 'adapter-failed'],
    ['not-asked', 'unavailable'],
    ['failed', undefined],
  ])('opens the circuit of one gate after calls that end %s, %s', (outcome, cause) => {
    const { circuits, ended } = setUp();
    ended(A, outcome, cause);
    expect([A, B].map((gate) => circuits.isOpen(gate))).toStrictEqual([true, false]);
    expect(circuits.stateOf(A)).toStrictEqual({
      gate: A,
      state: 'open',
      since: ACCEPTED_AT,
      calls: 0,
      failures: 0,
      nextProbeAt: addMs(ACCEPTED_AT, 30_000),
    });
  });

  it.each([
    ['approved', undefined],
    ['declined', undefined],
    ['payer-needed', undefined],
    ['unknown', 'gate-undecided'],
    ['not-asked', 'refused-by-gate'],
  ])('keeps the circuit closed after answers of a working gate: %s, %s', (outcome, cause) => {
    const { circuits, ended } = setUp();
    ended(A, outcome, cause, 100);
    expect(circuits.stateOf(A)).toMatchObject({ state: 'closed', calls: 100, failures: 0 });
  });

  it.each(['inquire', 'quote'])('does not count calls that submit nothing: %s', (call) => {
    const { circuits, ended } = setUp();
    ended(A, 'unknown', 'timeout', 10, call);
    expect(circuits.stateOf(A)).toMatchObject({ state: 'closed', calls: 0 });
  });

  it('never opens the circuit of a gate that has it turned off', () => {
    const { circuits, ended } = setUp();
    ended(OFF, 'failed', undefined, 100);
    expect([circuits.isOpen(OFF), circuits.admits(OFF)]).toStrictEqual([false, true]);
  });

  it('opens the circuit after calls time out, and ignores their later answers', async () => {
    const { clock, circuits } = setUp();
    const ends = Array.from({ length: 4 }, () => circuits.began(A, 'charge', CALL_MS));
    await clock.advance(CALL_MS - 1);
    expect(circuits.isOpen(A)).toBe(false);
    await clock.advance(1);
    expect(circuits.isOpen(A)).toBe(true);
    for (const end of ends) end('approved');
    expect(circuits.isOpen(A)).toBe(true);
  });

  it('admits one probe at a time, and closes the circuit after enough successful probes', async () => {
    const { clock, circuits, ended } = setUp();
    ended(A, 'not-asked', 'unavailable');
    await clock.advance(29_999);
    expect([circuits.isOpen(A), circuits.admits(A)]).toStrictEqual([true, false]);
    await clock.advance(1);
    expect(circuits.isOpen(A)).toBe(false);
    expect([circuits.admits(A), circuits.admits(A)]).toStrictEqual([true, false]);
    ended(A, 'approved', undefined, 1);
    expect([circuits.admits(A), circuits.admits(A)]).toStrictEqual([true, false]);
    ended(A, 'declined', undefined, 1);
    expect(circuits.stateOf(A)).toMatchObject({ state: 'closed', since: addMs(ACCEPTED_AT, 30_000) });
    expect([circuits.admits(A), circuits.admits(A)]).toStrictEqual([true, true]);
  });

  it('extends the open time after a failed probe', async () => {
    const { clock, circuits, ended } = setUp();
    ended(A, 'failed');
    await clock.advance(30_000);
    circuits.admits(A);
    ended(A, 'failed', undefined, 1);
    expect(circuits.stateOf(A)).toMatchObject({ state: 'open', nextProbeAt: addMs(ACCEPTED_AT, 90_000) });
  });

  it('reports one opening with counts and cause and one closing, but no failed probes between', async () => {
    const { clock, ended, turns } = setUp();
    ended(A, 'approved', undefined, 2);
    ended(A, 'not-asked', 'unavailable', 2);
    const opening = { gate: A, state: 'open', calls: 4, failures: 2, cause: 'unavailable' };
    expect(turns).toStrictEqual([opening]);
    for (const openMs of [30_000, 60_000]) {
      await clock.advance(openMs);
      ended(A, 'failed', undefined, 1);
    }
    expect(turns).toStrictEqual([opening]);
    await clock.advance(120_000);
    ended(A, 'approved', undefined, 2);
    expect(turns).toStrictEqual([opening, { gate: A, state: 'closed' }]);
  });

  it('reports timed-out calls with the cause timeout', async () => {
    const { clock, circuits, turns } = setUp();
    for (let call = 0; call < 4; call++) circuits.began(A, 'charge', CALL_MS);
    await clock.advance(CALL_MS);
    circuits.states();
    expect(turns).toStrictEqual([{ gate: A, state: 'open', calls: 4, failures: 4, cause: 'timeout' }]);
  });

  it('ignores calls to a gate that is not configured', () => {
    const { circuits } = setUp();
    circuits.began('sim-x', 'charge')('failed');
    expect(circuits.admits('sim-x' as GateAlias)).toBe(true);
  });

  it('keeps the state of a gate whose settings did not change, and starts closed for a new or changed one', () => {
    const { circuits, ended } = setUp();
    ended(A, 'failed');
    ended(B, 'failed');
    const NEW = 'sim-new' as GateAlias;
    circuits.take([
      { alias: A, circuit: { ...circuit } },
      { alias: B, circuit: { ...circuit, callsMin: 5 } },
      { alias: NEW, circuit },
    ]);
    expect(circuits.states().map(({ gate, state }) => [gate, state])).toStrictEqual([
      [A, 'open'],
      [B, 'closed'],
      [NEW, 'closed'],
    ]);
    expect(circuits.stateOf(OFF).state).toBe('off');
  });
});
