import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paintFor } from '../terminal';
import { orderTrail } from './audit';

const before = { ...process.env };
const NAMES = { claimedActor: null, causedBy: null, problem: null, actor: 'acme' };
const DATA = { texts: 'x'.repeat(200), gates: [{ alias: 'sim-a' }], nothing: null, customer: { email: 'jane@example.org' } };
const TRAIL = {
  orderId: '1048506000',
  merchant: 'acme',
  trail: [
    { ...NAMES, number: 1, at: '2026-11-27T08:00:00.000Z', category: 'payment', type: 'OrderAccepted', data: DATA },
    {
      ...NAMES,
      number: 2,
      at: '2026-11-27T08:00:01.000Z',
      category: 'payment',
      type: 'Later',
      claimedActor: 'kim',
      causedBy: 1,
      problem: 'unknown',
      data: null,
    },
  ],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orch-trail-'));
  Object.assign(process.env, { DATA_DIR: folder, ORCH_OPERATOR_TOKEN: 'a-token' });
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(TRAIL));
});
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

it('prints a revealed audit trail in full, with one line per data member', async () => {
  const lines: string[] = [];
  const output = { paint: paintFor(false), isJson: false, line: (text = '') => void lines.push(text), problem: () => undefined };
  await orderTrail('1048506000', { reveal: true, reason: 'Dispute 4711' }, output);
  expect(lines).toStrictEqual([
    'order 1048506000 of acme, 2 events',
    '  1  2026-11-27T08:00:00.000Z  payment  OrderAccepted  acme',
    `     texts           ${'x'.repeat(200)}`,
    '     gates[0].alias  sim-a',
    '     customer.email  jane@example.org',
    '  2  2026-11-27T08:00:01.000Z  payment  Later  acme for kim  after 1',
    '     unknown',
  ]);
});
