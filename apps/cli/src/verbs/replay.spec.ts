import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler, type AttemptKey, type ClientOrderId, type MerchantLogin, type OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, attemptEvents, finalEvents, sampleOrder, usd, VirtualClock } from '@app/testing';
import { runOrch } from '../program';

jest.setTimeout(60_000);

let folder: string;
const before = { ...process.env };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orch-what-if-'));
  const log = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler });
  for (const [number, minor] of [1_000n, 7_000n].entries()) {
    const order = sampleOrder({
      orderId: `p0sample0order${number}r` as OrderId,
      clientOrderId: `inv-${number}` as ClientOrderId,
      amount: usd(minor),
    });
    const attemptKey = `a-${number}` as AttemptKey;
    const events = [
      { type: 'OrderAccepted' as const, data: order },
      attemptEvents.started({ attemptKey, amount: usd(minor) }),
      attemptEvents.approved({ attemptKey }),
      finalEvents.approved({ attemptKey, amount: usd(minor) }),
    ] as const;
    const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
    const envelope = {
      correlation: 's',
      causation: 's',
      actor: 'acme',
      merchant: 'acme',
      commandId: `c${number}`,
      recordedAt: ACCEPTED_AT,
    };
    await log.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelope));
  }
  await log.close();
  for (const name of ['NODE_ENV', 'EVENTSTORE_URL', 'READ_MODEL_URL', 'VAULT_URL', 'ROLES']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_CONFIG: resolve(__dirname, '../../../../config/sandbox.yaml') });
});
afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

const orch = async (...words: readonly string[]) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  const code = await runOrch(words, streams);
  return { code, out, problems, lines: out.trim().split('\n') };
};
const rules = (text: string): string => {
  const path = join(folder, 'rules.yaml');
  writeFileSync(path, text);
  return path;
};
const LIMIT = 'merchants: [{ login: acme, endpoints: [{ id: "1001", screening: { maxAmount: "50.00" } }] }]';

it('lists each order with a different outcome, the rule that causes it and the totals', async () => {
  const { code, lines } = await orch('replay', '--what-if', rules(LIMIT));
  expect(code).toBe(0);
  expect(lines[0]).toBe('p0sample0order1r  acme  inv-1  70.00 USD  approved 70.00 at sim-a → filtered (120)  by screening max-amount');
  expect(lines[1]).toMatch(/^2 orders decided again in \d+\.\d s, \d+ a second$/);
  expect(lines.slice(2).map((line) => line.replace(/ +/g, ' '))).toStrictEqual([
    ' same 1 decided as they were',
    ' same-outcome 0 by another rule or gate, with the same end and amount',
    ' differs 1 with another end or amount',
    ' cannot-know 0 of which the end is not known',
    ' rule currency orders was approved would be not known of them approved asked for',
    ' screening max-amount USD 1 70.00 0.00 0 0.00 0.00',
  ]);
});

it('prints one JSON object per different order and one with the totals', async () => {
  const { lines } = await orch('--json', 'replay', '--what-if', rules(LIMIT));
  const [order, totals] = lines.map((line) => JSON.parse(line) as object);
  expect(order).toMatchObject({ class: 'differs', orderId: 'p0sample0order1r', was: { amount: '70.00' }, would: { code: 120 } });
  expect(totals).toMatchObject({
    orders: 2,
    classes: { same: 1, differs: 1 },
    rules: [{ by: 'screening max-amount', wasApproved: '70.00' }],
  });
});

it('prints only the totals with --summary', async () => {
  const { lines } = await orch('--json', 'replay', '--summary', '--what-if', rules(LIMIT));
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ orders: 2, classes: { same: 1, differs: 1 } }]);
});

it.each([
  [['replay'], 2, 'give either an order'],
  [['replay', 'inv-1', '--what-if', 'x'], 2, 'give either an order'],
  [['replay', 'inv-1', '--summary'], 2, '--summary cannot be used with an order'],
  [['replay', '--what-if', 'nothing.yaml'], 1, 'names a file that cannot be read (ENOENT)'],
])('%j exits with %i', async (words, code, problem) => {
  const { code: ended, problems, out } = await orch(...words);
  expect([ended, out]).toStrictEqual([code, '']);
  expect(problems).toContain(problem);
});

it('reports every fault of the rules by its path and replays no order', async () => {
  const { code, out, problems } = await orch(
    'replay',
    '--what-if',
    rules('merchants: [{ login: acme, endpoints: [{ id: "1", gates: [x] }, { id: "1001" }] }]'),
  );
  expect([code, out]).toStrictEqual([1, '']);
  expect(problems).toContain('merchants[0].endpoints[1]: must have one of gates, screening and routing');
});

it('rejects an unknown merchant with exit code 3', async () => {
  const { code, out, problems } = await orch('replay', '--what-if', rules(LIMIT), '--merchant', 'nobody');
  expect([code, out]).toStrictEqual([3, '']);
  expect(problems).toContain('no merchant "nobody" in the configuration');
});
