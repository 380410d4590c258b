import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createKeyRing } from '@app/card-vault';
import { Secret, systemClock } from '@app/kernel';
import { MerchantServerClient } from '../../support/devices/merchant-server-client';
import { freePort } from '../../support/processes/free-port';
import { HttpClient } from '../../support/http/http-client';
import { until } from '../../support/until';

const ROOT = resolve(__dirname, '../../..');
const PROGRAM = join(ROOT, 'test/support/devices/mounted-merchant-server.ts');
const PAGE = join(ROOT, 'docs/merchant-server.md');
const START_TIMEOUT_MS = 60_000;

const PRODUCT = {
  login: 'acme',
  controlKey: randomBytes(16).toString('hex'),
  callback: { secret: `whsec_${randomBytes(24).toString('base64')}` },
  endpoints: [{ id: '1001', currency: 'USD' }],
};

const folder = mkdtempSync(join(tmpdir(), 'mounted-merchant-server-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a product's own server that mounts the merchant server", () => {
  it('is documented with exactly the code of the compiled example', () => {
    expect(readFileSync(PAGE, 'utf8')).toContain(`\n\`\`\`ts\n${readFileSync(PROGRAM, 'utf8')}\`\`\`\n`);
  });

  it(
    "serves devices and the gateway, and takes the consumer from the product's own login [W527]",
    async () => {
      mkdirSync(join(folder, 'config'));
      writeFileSync(join(folder, 'config/products.yaml'), JSON.stringify(PRODUCT));
      createKeyRing(join(folder, 'keys/merchant-server.json'));
      const port = await freePort();
      const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), PROGRAM], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'] ?? '',
          TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json'),
          PORT: String(port),
          NODE_ENV: 'production',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
      const ended = once(child, 'close');
      const client = new HttpClient(() => `http://127.0.0.1:${port}`);
      try {
        const merchantServer = new MerchantServerClient(client);
        const consumer = { authorization: 'Bearer jane' };
        const told = await until(
          () => {
            if (child.exitCode !== null) throw new Error(printed);
            return merchantServer.requestToken('', consumer).catch(() => undefined);
          },
          { what: 'the product’s server', timeoutMs: START_TIMEOUT_MS, seen: () => printed.slice(-2_000) },
        );
        const { accessToken } = (told.body as { session: { accessToken: string } }).session;
        const { source } = await merchantServer.complete('sale', { accessToken }, undefined, {
          secret: new Secret(PRODUCT.callback.secret),
          at: systemClock.now(),
        });
        expect(source).not.toBe('');
        expect((await merchantServer.check(await merchantServer.begin('sale', { accessToken }))).body).toMatchObject({
          consumer: { email: 'jane@example.com' },
        });
        expect(await merchantServer.requestToken('?email=jane@example.com')).toMatchObject({ status: 403, text: '' });
      } finally {
        await client.close();
        child.kill('SIGKILL');
        await ended;
      }
    },
    START_TIMEOUT_MS,
  );
});
