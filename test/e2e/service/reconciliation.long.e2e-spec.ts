import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallbackReceiver, DELIVERED } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import { orch, startOrch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

/** One gate and entry point per test, since a settlement file covers everything that its gate did. */
const GATES = {
  matched: '1011',
  differing: '1012',
  reconciled: '1013',
  refused: '1014',
  polled: '1015',
  killed: '1016',
  unusual: '1017',
} as const;
type Gate = keyof typeof GATES;

type Row = Record<string, string>;

let receiver: CallbackReceiver;
let service: Service;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  receiver = await CallbackReceiver.start();
  receiver.behave(DELIVERED);
  service = await Service.start({
    configuration: sandboxConfiguration({
      ports: [receiver.port],
      endpoints: Object.entries(GATES).map(([alias, id]) => ({ id, currency: 'USD', gates: [alias] })),
      gates: Object.keys(GATES).map((alias) => ({
        alias,
        adapter: 'simulator',
        currencies: ['USD'],
        descriptor: `test-${alias}`,
        partialReversal: true,
        longestFlightSeconds: 0.5,
      })),
    }),
  });
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const merchantAt = (gate: Gate): Merchant => new Merchant(service, { at: GATES[gate] });
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
const linesOf = (out: string): readonly Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const settled = async (gate: Gate): Promise<{ readonly header: readonly string[]; readonly rows: readonly Row[] }> => {
  const { code, out } = await verb('settlement-file', '--simulator', gate);
  expect(code).toBe(0);
  const [header = [], ...rows] = out
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  return { header, rows: rows.map((fields) => Object.fromEntries(header.map((name, index) => [name, fields[index] ?? '']))) };
};
const written = (name: string, header: readonly string[], rows: readonly Row[]): string => {
  const path = join(folder, name);
  const text = [header, ...rows.map((row) => header.map((column) => row[column] ?? ''))].map((fields) => fields.join(','));
  writeFileSync(path, `${text.join('\r\n')}\r\n`);
  return path;
};
/** The newest orders may not be projected yet: the verb reports this, and is run again. */
const reconciled = (gate: Gate, path: string, ...more: readonly string[]): Promise<OrchEnded> =>
  until(
    async () => {
      const ended = await verb('--json', 'reconcile', '--gate', gate, '--file', path, ...more);
      return ended.problems.includes('behind the log') ? undefined : ended;
    },
    { what: 'the read models to catch up' },
  );
const summaryOf = ({ out, problems }: OrchEnded) => {
  if (problems !== '') throw new Error(problems);
  return linesOf(out).at(-1)?.['summary'] as { counts: Record<string, number>; cases: unknown; lines: number };
};
const findingsOf = ({ out }: OrchEnded) =>
  linesOf(out)
    .map(({ finding }) => finding as { kind: string; differences?: readonly object[]; line?: { line: number } } | undefined)
    .filter((finding) => finding !== undefined);

const casesOf = (gate: Gate, count: number): Promise<readonly Record<string, unknown>[]> =>
  until(
    async () => {
      const listed = linesOf((await verb('--json', 'reconcile', 'cases', '--gate', gate)).out);
      return listed.length === count ? listed : undefined;
    },
    { what: `${count} cases of ${gate}` },
  );
const NOTHING = { different: 0, 'missing-here': 0, 'missing-there': 0, duplicate: 0 };

it('a gate file that agrees with the log matches and opens no case', async () => {
  const acme = merchantAt('matched');
  const order = await acme.approvedSale();
  await acme.approvedFollowUp('return', order, { amount: '4.42', currency: 'USD' });
  await acme.approvedFollowUp('return', order, { amount: '2.00', currency: 'USD' });
  await acme.finalStatus(await acme.accepted(acme.sale({ cvv2: '116' })));
  const { header, rows } = await settled('matched');
  expect(rows).toHaveLength(4);
  const ended = await reconciled('matched', written('matched.csv', header, rows));
  expect([ended.code, ended.problems, summaryOf(ended)]).toMatchObject([
    0,
    '',
    { lines: 4, counts: { matched: 4, ...NOTHING }, cases: { opened: 0, known: 0 } },
  ]);
  expect((await verb('find', rows[0]?.['key'] ?? '')).out).toContain('serial number, receipt or gate reference');
});

it('each kind of difference opens one case, a repeated file opens none, and an operator closes them', async () => {
  const acme = merchantAt('differing');
  const [changed, omitted, doubled] = [await acme.approvedSale(), await acme.approvedSale(), await acme.approvedSale()];
  const { header, rows } = await settled('differing');
  const of = ({ orderId }: { readonly orderId: string }): Row => rows.find((row) => row['order_id'] === orderId) ?? {};
  const stranger = { ...of(changed), key: 'never-sent', original: 'never-sent' };
  const path = written('differing.csv', header, [{ ...of(changed), amount: '11.42' }, of(doubled), stranger, of(doubled)]);
  const day = new Date().toISOString().slice(0, 10);
  // An order younger than the gate's flight time may not be in its books yet.
  const first = await until(
    async () => {
      const ended = await reconciled('differing', path, '--from', day, '--to', day);
      return summaryOf(ended).counts['missing-there'] === 1 ? ended : undefined;
    },
    { what: 'the flight to be over' },
  );
  expect([first.code, summaryOf(first)]).toMatchObject([
    1,
    { counts: { matched: 1, different: 1, 'missing-here': 1, 'missing-there': 1, duplicate: 1 } },
  ]);
  expect(findingsOf(first).find(({ kind }) => kind === 'different')?.differences).toStrictEqual([
    { field: 'amount', ours: '10.42', theirs: '11.42' },
  ]);
  const again = await reconciled('differing', path, '--from', day, '--to', day);
  expect(summaryOf(again)).toMatchObject({ cases: { opened: 0, known: 4 } });
  expect(findingsOf(again)).toStrictEqual(findingsOf(first));
  const cases = await casesOf('differing', 4);
  expect(cases.find(({ kind }) => kind === 'missing-there')).toMatchObject({ order: { orderId: omitted.orderId, merchant: 'acme' } });
  const [one] = cases;
  const close = () => verb('reconcile', 'close', String(one?.['caseId']), '--reason', 'looked at');
  expect([(await close()).code, (await close()).code]).toStrictEqual([0, 4]);
  await casesOf('differing', 3);
});

it('a changed final status takes effect only when its case is applied, and is sent to the merchant', async () => {
  const acme = merchantAt('reconciled');
  const order = await acme.approvedSale({ server_callback_url: receiver.url('/reconciled') });
  const { header, rows } = await settled('reconciled');
  const declined = rows.map((row) => ({ ...row, status: 'declined' }));
  const path = written('reconciled.csv', header, declined);
  expect(summaryOf(await reconciled('reconciled', path))).toMatchObject({ counts: { different: 1 }, cases: { opened: 1 } });
  expect((await acme.finalStatus(order))['status']).toBe('approved');
  const [open] = await casesOf('reconciled', 1);
  const apply = () => verb('--json', 'reconcile', 'apply', String(open?.['caseId']), '--reason', 'the acquirer’s statement');
  const applied = await apply();
  expect([applied.code, linesOf(applied.out)]).toMatchObject([0, [{ to: 'declined', effect: 'reconciled' }]]);
  expect(await acme.finalStatus(order)).toMatchObject({ status: 'declined', 'order-stage': 'sale_declined', 'error-code': '100' });
  await until(() => receiver.at('/reconciled').length === 2, { what: 'a callback of each status' });
  expect((await acme.followUp('return', order)).fields['error-code']).toBe('11');
  expect((await apply()).code).toBe(4);
  expect((await verb('show', order.orderId)).out).toContain('final status reconciled');
  expect(summaryOf(await reconciled('reconciled', path, '--dry-run'))).toMatchObject({ counts: { matched: 1, ...NOTHING } });
});

it('a run that was killed while opening cases is completed by the same command', async () => {
  await merchantAt('killed').approvedSale();
  const { header, rows } = await settled('killed');
  const strangers = Array.from({ length: 60 }, (_, number) => ({ ...rows[0], key: `never-${number}`, original: `never-${number}` }));
  const path = written('killed.csv', header, [...rows, ...strangers]);
  await reconciled('killed', path, '--dry-run');
  const { child, ended } = startOrch(['--json', 'reconcile', '--gate', 'killed', '--file', path], service.orchEnvironment);
  child.stdout?.once('data', () => child.kill('SIGKILL'));
  await ended;
  const again = await reconciled('killed', path);
  expect(findingsOf(again)).toHaveLength(60);
  const { opened, known } = summaryOf(again).cases as { readonly opened: number; readonly known: number };
  expect(opened + known).toBe(60);
  expect(await casesOf('killed', 60)).toHaveLength(60);
});

it('status polling asks the gate and reports matching transactions', async () => {
  const acme = merchantAt('polled');
  await acme.approvedSale();
  const day = new Date().toISOString().slice(0, 10);
  const poll = () => verb('--json', 'reconcile', '--gate', 'polled', '--poll', '--from', day, '--to', day);
  const told = await until(
    async () => {
      const ended = await poll();
      const { counts } = linesOf(ended.out).at(-1)?.['summary'] as { counts: Record<string, number> };
      return counts['asked'] === 1 ? { ended, counts } : undefined;
    },
    { what: 'the sale to be projected' },
  );
  expect([told.ended.code, told.counts]).toStrictEqual([0, { asked: 1, matched: 1, notTold: 0, different: 0 }]);
});
