import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFaults } from '../../support/crash/findings/read-model-rows';
import { orch, startOrch, type OrchRun } from '../../support/processes/orch';
import { until } from '../../support/until';

const TIMEOUT_MS = 180_000;
const ANY_PORTS = { PORT: '0', OPERATOR_PORT: '0', MERCHANT_PORT: '0', CALLBACK_PORT: '0' };

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
const DATA_DIR = join(folder, 'store');
const demo = (...more: readonly string[]) => orch(['--json', 'sandbox', '--demo', '--once', ...more], { ...ANY_PORTS, DATA_DIR });
afterAll(() => rmSync(folder, { recursive: true }));

describe('a demonstration of 60 orders', () => {
  beforeAll(async () => {
    const { code, problems } = await demo('--orders', '60');
    expect([code, problems]).toStrictEqual([0, '']);
  }, TIMEOUT_MS);

  it(
    'has a log that fits its signed tree, and read models that equal a rebuild',
    async () => {
      const verified = await orch(['log', 'verify'], { DATA_DIR, ORCH_CONFIG: join(DATA_DIR, 'demo.yaml') });
      expect([verified.code, verified.out]).toStrictEqual([0, expect.stringContaining('sound: the log fits its tree')]);
      // An inquiry without an answer puts the next one off, which is no event.
      const faults = await readModelFaults(DATA_DIR);
      expect(faults.filter((fault) => !/^open_work_orders .*"task":"inquire"/.test(fault))).toStrictEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is served by a second start, with an entry in every list',
    async () => {
      const before = readFileSync(join(DATA_DIR, 'demo.json'), 'utf8');
      const run: OrchRun = startOrch(['--json', 'sandbox', '--demo'], { ...ANY_PORTS, DATA_DIR });
      let out = '';
      run.child.stdout?.on('data', (text: string) => (out += text));
      try {
        const line = await until(() => out.split('\n').find((one) => one.includes('"operatorUrl"')), {
          what: 'the service',
          timeoutMs: 60_000,
        });
        const { operatorUrl } = JSON.parse(line) as { readonly operatorUrl: string };
        const token = readFileSync(join(DATA_DIR, 'operator-token'), 'utf8').trim();
        const read = async <Answer>(path: string): Promise<Answer> =>
          (await fetch(operatorUrl + path, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<Answer>;
        for (const [path, list] of [
          ['/orders/unknown', 'orders'],
          ['/deliveries?state=failed', 'deliveries'],
          ['/disputes', 'disputes'],
          ['/reconciliation/cases', 'cases'],
          ['/approvals?state=waiting', 'approvals'],
          ['/log/checkpoints', 'checkpoints'],
          ['/activity', 'activity'],
        ] as const) {
          const answer = await read<Readonly<Record<string, readonly unknown[]>>>(path);
          expect([path, answer[list]?.length]).toStrictEqual([path, expect.any(Number)]);
          expect([path, answer[list]]).not.toStrictEqual([path, []]);
        }
        const { gatesOutOfRouting } = await read<{ gatesOutOfRouting: readonly { alias: string }[] }>('/overview');
        expect(gatesOutOfRouting.map(({ alias }) => alias)).toStrictEqual(['northbank']);
      } finally {
        run.child.kill('SIGTERM');
        expect((await run.ended).code).toBe(0);
      }
      expect(readFileSync(join(DATA_DIR, 'demo.json'), 'utf8')).toBe(before);
    },
    TIMEOUT_MS,
  );

  it('is not overwritten by another demonstration', async () => {
    expect(await demo('--orders', '61')).toMatchObject({
      code: 4,
      problems: expect.stringContaining('a demonstration of 60 orders with seed 1') as string,
    });
  });
});

it('refuses a folder with other data, and an interrupted filling', async () => {
  const other = join(folder, 'other');
  const start = () => orch(['sandbox', '--demo', '--once'], { ...ANY_PORTS, DATA_DIR: folder });
  writeFileSync(other, '');
  expect(await start()).toMatchObject({ code: 4, problems: expect.stringContaining('holds other data') as string });
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ state: 'filling', orders: 60, seed: 1, until: '' }));
  expect(await start()).toMatchObject({ code: 4, problems: expect.stringContaining('was interrupted') as string });
  expect(existsSync(join(folder, 'events.sqlite'))).toBe(false);
});

it('refuses a number of orders that is none', async () => {
  expect(await demo('--orders', '1e3')).toMatchObject({
    code: 2,
    problems: expect.stringContaining('--orders must be a whole number') as string,
  });
});
