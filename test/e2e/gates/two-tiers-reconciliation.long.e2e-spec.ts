import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { orch } from '../../support/processes/orch';
import { CODES_OF_OURS, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const NOT_SUFFICIENT_FUNDS = '116';

let folder: string;
let upstream: Service;
let service: Service;
let acme: Merchant;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'two-tiers-reconciliation-'));
  upstream = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
  const gate = {
    alias: 'upstream-a',
    adapter: 'paynet',
    codes: CODES_OF_OURS,
    currencies: ['USD'],
    descriptor: 'test-upstream',
    longestFlightSeconds: 1,
    partialReversal: true,
    partialCapture: true,
    controlKey: SANDBOX_CONTROL_KEY,
    pollSeconds: 0.1,
    upstream: { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true, login: 'acme', endpoint: '1001' },
  };
  const endpoints = [{ id: '1005', currency: 'USD', gates: [gate.alias] }];
  service = await Service.start({ configuration: sandboxConfiguration({ gates: [gate], endpoints }), stores: 'files' });
  acme = new Merchant(service, { at: '1005' });
});
afterAll(async () => {
  await service?.dispose();
  await upstream?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

it('the settlement file of the upstream gateway matches our log, and an altered file does not', async () => {
  await acme.approvedSale();
  const reserved = await acme.approved(acme.preauth({ amount: '20.00' }));
  await acme.approvedFollowUp('capture', reserved, { amount: '15.00', currency: 'USD' });
  await acme.approvedFollowUp('return', reserved, { amount: '4.00', currency: 'USD' });
  await acme.approvedFollowUp('return', reserved, { amount: '4.00', currency: 'USD' });
  await acme.approvedFollowUp('void', await acme.approvedSale());
  await acme.finalStatus(await acme.accepted(acme.sale({ cvv2: NOT_SUFFICIENT_FUNDS })));
  await acme.approved(acme.accountVerification());

  const records = await until(
    async () => {
      const { out } = await orch(['settlement-file', '--merchant', 'acme'], upstream.orchEnvironment);
      const lines = out.split('\r\n').filter((line) => line !== '');
      return lines.length === 10 ? lines : undefined;
    },
    { what: 'the upstream gateway’s read models' },
  );
  const reconciled = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\r\n')}\r\n`);
    return until(
      async () => {
        const ended = await orch(['--json', 'reconcile', '--gate', 'upstream-a', '--file', path, '--dry-run'], service.orchEnvironment);
        return ended.problems.includes('behind the log') ? undefined : ended;
      },
      { what: 'our read models' },
    );
  };
  const countsOf = (out: string) => (JSON.parse(out.trim().split('\n').at(-1) ?? '') as { summary: { counts: object } }).summary.counts;

  const same = await reconciled('same.csv', records);
  expect(same).toMatchObject({ code: 0, problems: '' });
  expect(countsOf(same.out)).toStrictEqual({ matched: 9, different: 0, 'missing-here': 0, 'missing-there': 0, duplicate: 0 });

  const doctored = records.map((record) => (record.includes(',capture,') ? record.replace('15.00', '14.00') : record));
  const other = await reconciled('other.csv', doctored);
  expect(other.code).toBe(1);
  expect(countsOf(other.out)).toMatchObject({ matched: 8, different: 1 });
  expect(other.out).toContain('{"field":"amount","ours":"15.00","theirs":"14.00"}');
});
