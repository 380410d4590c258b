import type { OrchestratorEnvironment } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { poll } from './poll-cases';

const before = { ...process.env };
beforeEach(() => void (process.env.ORCH_OPERATOR_TOKEN = 'a-token'));
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
});

const PERIOD = { from: '2026-11-24', to: '2026-11-24', dryRun: true } as const;
const environment = { operatorHost: '127.0.0.1', operatorPort: 1 } as OrchestratorEnvironment;

describe('the exit code of a reconciliation by asking the gate', () => {
  it.each([
    [0, 'the gate tells some outcomes', {}, { asked: 2, matched: 1, notTold: 1 }],
    [2, 'there is nothing to ask about', {}, { asked: 0, matched: 0, notTold: 0 }],
    [2, 'the gate tells no outcome', {}, { asked: 2, matched: 0, notTold: 2 }],
    [0, 'nothing is left behind the place where it goes on', { after: 'place' }, { asked: 0, matched: 0, notTold: 0 }],
    [2, 'the gate tells no outcome behind that place', { after: 'place' }, { asked: 2, matched: 0, notTold: 2 }],
  ])('is %d where %s', async (code, _, place, page) => {
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ ...page, differences: [] }));
    const output = { isJson: true, line: () => undefined, problem: () => undefined, paint: (_tone: string, text: string) => text };
    await expect(poll({ alias: 'sim-a' } as ConfiguredGate, { ...PERIOD, ...place }, environment, output)).resolves.toBe(code);
  });
});
