import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigningKeyFile } from '@app/investigation';
import { createKeyRing } from '@app/card-vault';
import { startPostgresAlone, type Postgres } from '@app/databases/testing';
import { WireServer } from '../../fakes/eventstoredb';
import { environmentOf, readComposeFile, readVariables } from '../../support/documents/compose-file';
import { freePort } from '../../support/processes/free-port';
import { HttpClient } from '../../support/http/http-client';
import { Merchant } from '../../support/merchants/merchant';
import { setUpDatabases } from '../../support/processes/production-databases';
import { ServiceProcess, type Environment } from '../../support/processes/service-process';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const READY_TIMEOUT_MS = 30_000;
const CONFIG = join(__dirname, '..', '..', '..', 'config');
const file = readComposeFile();

/** Never published, because production refuses published keys. */
const OWN_CONTROL_KEY = '5C0FFEE0-1D2E-4A3B-9C4D-0123456789AB';

/** An operator's configuration, which may use no private target for callbacks (safety, T17). */
const PRODUCTION_CONFIGURATION = {
  publicBaseUrl: 'https://pay.example',
  merchants: [{ login: 'acme', controlKey: OWN_CONTROL_KEY, endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }] }],
  gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], allowInProduction: true }],
};

const VARIABLES: Readonly<Record<string, Environment>> = {
  sandbox: readVariables('sandbox.env'),
  production: {
    ...readVariables('production.env'),
    ORCH_CONFIG_DIR: '/etc/payments',
    ORCH_CONFIG_FILE: 'orchestrator.yaml',
    KEYS: '/etc/payments/keys',
    EVENTSTORE_URL: 'esdb://event-log:2113?tls=false', // TLS has separate tests, because the wire server has none
    POSTGRES_PASSWORD: 'p-superuser',
    READ_MODELS_PASSWORD: 'p-read-models',
    CARD_VAULT_PASSWORD: 'p-card-vault',
    EVENTSTORE_ADMIN_PASSWORD: 'p-admin',
    EVENTSTORE_OPS_PASSWORD: 'p-ops',
  },
};

/** A given server may already have roles and databases of these names. */
const withOwnServer = process.env['TEST_POSTGRES_URL'] === undefined ? describe.each : describe.skip.each;

withOwnServer(Object.entries(VARIABLES))('with the environment that docker-compose.yml gives from %s.env', (name, variables) => {
  let folder: string;
  let wire: WireServer;
  let postgres: Postgres;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'compose-'));
    wire = await WireServer.start();
    postgres = await startPostgresAlone();
    const { READ_MODELS_PASSWORD: read_models = '', CARD_VAULT_PASSWORD: card_vault = '' } = variables;
    await setUpDatabases(postgres.url, { read_models, card_vault });
    for (const mount of ['config', 'data', 'keys']) mkdirSync(join(folder, mount), { mode: 0o700 });
    if (name === 'production') {
      createKeyRing(join(folder, 'keys', 'vault-keyring.json'));
      makeSigningKeyFile(join(folder, 'keys', 'log-signing-key.pem'));
      writeFileSync(join(folder, 'config', 'orchestrator.yaml'), JSON.stringify(PRODUCTION_CONFIGURATION));
    } else {
      for (const text of ['sandbox.yaml', 'acme.pub.pem']) copyFileSync(join(CONFIG, text), join(folder, 'config', text));
    }
  });
  afterAll(async () => {
    await wire.kill();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const mapped = (environment: Environment, ports: { readonly PORT: string; readonly OPERATOR_PORT: string }): Environment => {
    const { host } = new URL(postgres.url);
    const at = ([setting, value]: [string, string]): [string, string] => {
      if (setting === 'PORT' || setting === 'OPERATOR_PORT') return [setting, ports[setting]];
      const text = value.replace('//event-log:2113', `//${wire.address.host}:${wire.address.port}`).replace('@postgres:5432', `@${host}`);
      return [setting, text.replace(/^\/(?:etc\/orchestrator|data|keys)(?=\/|$)/, (mount) => join(folder, FOLDERS[mount] ?? ''))];
    };
    return Object.fromEntries(Object.entries(environment).map(at));
  };

  it('one `api` and one worker start with the compose environment and complete an order', async () => {
    const running: ServiceProcess[] = [];
    const start = async (service: string): Promise<HttpClient> => {
      const ports = { PORT: String(await freePort()), OPERATOR_PORT: String(await freePort()) };
      const given = environmentOf(file, service, variables);
      const environment = mapped(given, ports);
      expect(Object.keys(environment)).toStrictEqual(Object.keys(given));
      const child = new ServiceProcess(environment);
      running.push(child);
      const client = new HttpClient(() => `http://127.0.0.1:${ports.PORT}`);
      const isReady = async (): Promise<boolean> => {
        if (child.exit !== undefined) throw new Error(`${service} did not start\n${child.logTail()}`);
        const answer = await client.request('/health/ready').catch(() => undefined);
        return answer?.status === 200;
      };
      await until(isReady, { what: `readiness of ${service}`, timeoutMs: READY_TIMEOUT_MS, seen: () => child.logTail() });
      return client;
    };
    // Started together, like compose does: in the sandbox, one of them creates the key ring for both.
    const [api, worker] = await Promise.all([start('api-1'), start('worker-1')]);
    try {
      const acme = new Merchant(api, name === 'production' ? { controlKey: OWN_CONTROL_KEY } : {});
      // An order without a CVV is submitted by the worker.
      const order = await acme.accepted(acme.sale({ cvv2: undefined }));
      expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved' });
      for (const child of running) expect([await child.end('SIGTERM'), child.stderr]).toStrictEqual([{ code: 0, signal: null }, '']);
      if (name === 'production') for (const child of running) expect(child.stdout).toContain('"event":"gate.simulated","gate":"sim-a"');
      for (const child of running) for (const secret of secretsOf(variables)) expect(child.stdout).not.toContain(secret);
    } finally {
      for (const child of running) if (child.exit === undefined) await child.end('SIGKILL');
      await Promise.all([api.close(), worker.close()]);
    }
  });
});

const FOLDERS: Readonly<Record<string, string>> = { '/etc/orchestrator': 'config', '/data': 'data', '/keys': 'keys' };
const secretsOf = (variables: Environment): readonly string[] =>
  Object.entries(variables).flatMap(([name, value]) => (name.endsWith('_PASSWORD') ? [value] : []));
