import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import { orch } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const ROOT = resolve(__dirname, '..', '..', '..');
const PAYER = { email: 'drill@example.com', address1: '7 Drill Street', city: 'Springfield', zip_code: '12345' };
const folder = mkdtempSync(join(tmpdir(), 'dispute-drill-'));
let service: Service;
let shop: CallbackReceiver;

const commands = (): readonly string[] =>
  [...readFileSync(join(ROOT, 'docs', 'dispute.md'), 'utf8').matchAll(/^```sh drill\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly problems: string;
}

const shell = (line: string, variables: NodeJS.ProcessEnv): Promise<Ended> => {
  const PATH = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  const child = spawn('sh', ['-c', line], { cwd: folder, env: { ...service.orchEnvironment, ...variables, PATH } });
  return new Promise((resolve, reject) => {
    let out = '';
    let problems = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problems += text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out, problems }));
  });
};

const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const isPossible = has('python3', '--version') && has('unzip', '-v') && has('sha256sum', '--version');
const drill = isPossible ? it : it.skip;

beforeAll(async () => {
  shop = await CallbackReceiver.start();
  service = await Service.start({ configuration: sandboxConfiguration({ ports: [shop.port] }), stores: 'files' });
  mkdirSync(join(folder, 'bin'));
  const main = join(ROOT, 'dist', 'apps', 'cli', 'src', 'main.js');
  writeFileSync(join(folder, 'bin', 'orch'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
}, 60_000);
afterAll(async () => {
  await service?.dispose();
  await shop?.stop();
  rmSync(folder, { recursive: true });
});

describe('an evidence pack', () => {
  drill('is produced by the commands of docs/dispute.md, and an outsider can verify it', async () => {
    const acme = new Merchant(service);
    const earlier = await acme.approvedSale(PAYER);
    const disputed = await acme.approvedSale({ ...PAYER, amount: '77.31', server_callback_url: shop.url('/told') });
    await until(() => shop.received.length > 0, { what: 'the callback' });
    await acme.approvedSale({ email: 'somebody.else@example.com' });
    const variables: NodeJS.ProcessEnv = {
      AMOUNT: '77.31',
      CURRENCY: 'USD',
      DAY: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
      ZONE: 'Europe/Riga',
      LASTFOUR: '1111',
      PACK: join(folder, 'pack.zip'),
      DIR: folder,
    };
    const [list = '', ...others] = commands();
    // The newest orders may not be indexed yet.
    const found = await until(
      async () => {
        const { out } = await shell(list, variables);
        return out.includes(disputed.orderId) ? out : undefined;
      },
      { what: 'the disputed order by amount, day and card' },
    );
    expect(found).not.toContain(earlier.orderId);
    variables['ORDER'] = disputed.orderId;
    const said: string[] = [];
    for (const line of others) {
      // A pack is refused until a checkpoint covers its newest event.
      const ended = await until(
        async () => {
          const tried = await shell(line, variables);
          return tried.problems.includes('no checkpoint') ? undefined : tried;
        },
        { what: line, timeoutMs: 60_000 },
      );
      expect([line, ended.status, ended.problems, ended.status === 0 ? '' : ended.out]).toEqual([line, 0, '', '']);
      said.push(ended.out);
      const [, variable] = /^([A-Z]+)=/.exec(line) ?? [];
      if (variable !== undefined) variables[variable] = (await shell(`${line}; printf %s "$${variable}"`, variables)).out;
    }
    expect(said.at(-1)).toContain(`order ${disputed.orderId} (${disputed.clientOrderId}) of acme`);
    expect(said.at(-1)?.trim().split('\n').at(-1)).toBe('ALL OF IT HOLDS');
    // The recipient compares this digest, so the command shows it.
    const digest = hash('sha256', readFileSync(join(ROOT, 'libs', 'investigation', 'evidence', 'verify.py')), 'hex');
    expect(said.at(-2)).toMatch(new RegExp(`^${digest} `));
    const made = said[others.findIndex((line) => line.startsWith('orch evidence'))];
    expect(made).toMatch(new RegExp(`SHA-256 of verify.py  ${digest}$`, 'm'));
    expect(made).toContain(`  key                   ${variables['KEY'] ?? ''}\n`);

    const files = unzipSync(readFileSync(join(folder, 'pack.zip')));
    const evidence = JSON.parse(strFromU8(files['evidence.json'] ?? new Uint8Array())) as Record<string, unknown>;
    expect(evidence).toMatchObject({
      order: { orderId: disputed.orderId, merchant: 'acme' },
      states: { authorisation: { state: { status: 'approved' } }, atThatTime: { state: { stage: 'chargeback_approved' } } },
      consumer: { email: PAYER.email, address1: PAYER.address1 },
      reports: [{ event: 'ChargebackReceived' }],
    });
    const { orders: earlierOrders } = evidence['earlierOrders'] as { orders: readonly { orderId: string; sameAs: object }[] };
    expect(earlierOrders.find(({ orderId }) => orderId === earlier.orderId)).toMatchObject({
      sameAs: { email: true, address: true, ipAddress: true },
    });
    expect(earlierOrders.map(({ orderId }) => orderId)).not.toContain(disputed.orderId);
    expect(evidence['callbacks']).toMatchObject([{ target: 'callback', content: expect.stringContaining(disputed.orderId) as string }]);
    // The pack contains neither the card number nor any other means to charge the card.
    for (const [name, bytes] of Object.entries(files)) expect([name, strFromU8(bytes).includes('4444333322221111')]).toEqual([name, false]);

    const changed = strFromU8(files['events.ndjson'] ?? new Uint8Array()).replace('"AttemptApproved"', '"AttemptDeclined"');
    writeFileSync(join(folder, 'changed.zip'), zipSync({ ...files, 'events.ndjson': strToU8(changed) }, { level: 0 }));
    const refused = await shell(`python3 verify.py changed.zip --key "$KEY"`, variables);
    expect(refused.status).toBe(1);
    expect(refused.out).toContain('WRONG events.ndjson: not the one that the manifest names');
    expect(refused.out).toMatch(/WRONG event \d+ \(AttemptDeclined, .*\): not in the log as it stands here/);
  });

  it('is refused for an unknown order, a future time or a missing reason, and leaves no file', async () => {
    const { orderId } = await new Merchant(service).approvedSale();
    const pack = join(folder, 'none.zip');
    const evidence = (...args: readonly string[]) => orch(['evidence', ...args, '-o', pack], service.orchEnvironment);
    await expect(evidence('no-such-order', '--reason', 'x')).resolves.toMatchObject({
      code: 3,
      problems: expect.stringContaining('not found') as string,
    });
    await expect(evidence(orderId, '--reason', '')).resolves.toMatchObject({
      code: 2,
      problems: expect.stringContaining('reason must be') as string,
    });
    await expect(evidence(orderId, '--reason', 'x', '--at', 'yesterday')).resolves.toMatchObject({
      code: 2,
      problems: expect.stringContaining('at must be') as string,
    });
    await expect(evidence(orderId, '--reason', 'x', '--at', '2099-01-01T00:00:00Z')).resolves.toMatchObject({
      code: 2,
      problems: expect.stringContaining('future') as string,
    });
    await expect(evidence(orderId, '--reason', 'x', '--at', '2001-01-01T00:00:00Z')).resolves.toMatchObject({
      code: 2,
      problems: expect.stringContaining('the order did not exist at that time') as string,
    });
    expect(() => readFileSync(pack)).toThrow('ENOENT');
    writeFileSync(pack, 'kept');
    await expect(evidence(orderId, '--reason', 'x')).resolves.toMatchObject({
      code: 2,
      problems: expect.stringContaining('already exists') as string,
    });
    expect(readFileSync(pack, 'utf8')).toBe('kept');
  });
});
