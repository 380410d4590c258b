import { paintFor } from '../terminal/paint';
import { renderGate, type ShownGate } from './gates';

const SINCE = '2026-11-24T08:30:00.000Z';
const gate: ShownGate = {
  alias: 'sim-a',
  adapter: 'simulator',
  circuit: 'closed',
  since: SINCE,
  calls: 20,
  failures: 3,
  nextProbeAt: null,
};
const shown = (changes: Partial<ShownGate> = {}) => renderGate({ ...gate, ...changes }, paintFor(false));

it('a gate is shown with its circuit, since when, and what led or will lead to another state', () => {
  expect(shown()).toBe(`sim-a  simulator  circuit closed  since ${SINCE}  3 of 20 calls failed lately`);
  expect(shown({ circuit: 'open', nextProbeAt: '2026-11-24T08:31:00.000Z' })).toBe(
    `sim-a  simulator  circuit open  since ${SINCE}  next probe at 2026-11-24T08:31:00.000Z`,
  );
  expect(shown({ circuit: 'half-open' })).toBe(`sim-a  simulator  circuit half-open  since ${SINCE}`);
  expect(shown({ circuit: 'off', since: null })).toBe('sim-a  simulator  circuit off');
});
