import { Registry } from 'prom-client';
import type { GateAlias, Instant } from '@app/kernel';
import type { GateCircuitState, NewOrderHold } from '@app/orders';
import { GateFigures } from './gate-figures';

it('the circuit gauge has one value per configured gate, read at the scrape', async () => {
  const registry = new Registry();
  const states: GateCircuitState[] = [];
  new GateFigures(registry, () => 0).watchCircuits(registry, () => states);
  (['off', 'closed', 'half-open', 'open'] as const).forEach((state, index) => {
    states.push({ gate: `gate-${index}` as GateAlias, state, calls: 0, failures: 0 });
  });
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('orchestrator_gate_circuit{'));
  expect(lines).toStrictEqual([0, 0, 1, 2].map((value, index) => `orchestrator_gate_circuit{gate="gate-${index}"} ${value}`));
});

it('the gauge of holds has a value for each held gate and entry point only, read at the scrape', async () => {
  const registry = new Registry();
  let holds: NewOrderHold[] = [{ kind: 'gate', id: 'sim-a', since: 0 as Instant, by: 'operator:kim' }];
  new GateFigures(registry, () => 0).watchHolds(registry, () => holds);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('orchestrator_held{'));
  expect(await lines()).toStrictEqual(['orchestrator_held{kind="gate",id="sim-a"} 1']);
  holds = [];
  expect(await lines()).toStrictEqual([]);
});
