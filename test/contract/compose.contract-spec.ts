import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment, readMerchantServerEnvironment } from '@app/configuration';
import { environmentOf, filled, readComposeFile, readVariables, referencesIn, textsOf } from '../support/documents/compose-file';
import { isOwnHost } from '../../apps/orchestrator/src/operator/operator-caller.middleware';
import { type ComposeService } from '../support/documents/compose-shape';
import { settingsAskedBy } from '../support/documents/settings-asked';

const ROOT = join(__dirname, '..', '..');
const file = readComposeFile();
const services = Object.entries(file.services);
const orchestrators = services.filter(([, { environment }]) => environment?.['ROLES'] !== undefined).map(([name]) => name);
const sandbox = readVariables('sandbox.env');
const production = {
  ...readVariables('production.env'),
  ORCH_CONFIG_DIR: '/etc/payments',
  ORCH_CONFIG_FILE: 'orchestrator.yaml',
  KEYS: '/etc/payments/keys',
  EVENTSTORE_URL: 'esdb://orchestrator:pa55@event-log-1:2113,event-log-2:2113,event-log-3:2113?tlsCAFile=/trust/ca.crt',
  POSTGRES_PASSWORD: 'p-superuser',
  READ_MODELS_PASSWORD: 'p-read-models',
  CARD_VAULT_PASSWORD: 'p-card-vault',
  EVENTSTORE_ADMIN_PASSWORD: 'p-admin',
  EVENTSTORE_OPS_PASSWORD: 'p-ops',
};

const unknownSettings = (environment: Readonly<Record<string, string>>): string[] =>
  Object.keys(environment).filter((name) => !settingsAskedBy().has(name));

describe('docker-compose.yml', () => {
  it('runs two processes of each role', () => {
    expect(orchestrators.map((name) => [name, file.services[name]?.environment?.['ROLES']])).toEqual([
      ['api-1', 'api'],
      ['api-2', 'api'],
      ['worker-1', 'worker'],
      ['worker-2', 'worker'],
    ]);
  });

  it('depends only on existing services, and requires only services of the same profile', () => {
    for (const [name, { depends_on = {}, profiles = [] }] of services) {
      for (const [needed, { required = true, condition }] of Object.entries(depends_on)) {
        const target = file.services[needed];
        expect({ name, needed, exists: target !== undefined }).toEqual({ name, needed, exists: true });
        const isAlwaysThere = target?.profiles === undefined || target.profiles.some((profile) => profiles.includes(profile));
        expect({ name, needed, mayBeMissing: !isAlwaysThere }).toEqual({ name, needed, mayBeMissing: !required });
        const isHealthTold = target?.healthcheck !== undefined || orchestrators.includes(needed);
        if (condition === 'service_healthy') expect({ needed, isHealthTold }).toEqual({ needed, isHealthTold: true });
      }
    }
  });

  it('declares exactly the volumes that it uses', () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.flatMap((text) => [filled(text, sandbox), filled(text, production)]));
    const sources = mounts.map((text) => text.split(':')[0] ?? '');
    const named = new Set(sources.filter((source) => !/^[./]/.test(source)));
    expect([...named].sort()).toEqual(Object.keys(file.volumes).sort());
    for (const source of sources.filter((text) => text.startsWith('./'))) expect(() => readdirSync(join(ROOT, source))).not.toThrow();
  });

  it('publishes ports only on 127.0.0.1, each once per profile', () => {
    for (const profile of ['sandbox', 'cluster']) {
      const started = services.filter(([, { profiles }]) => profiles === undefined || profiles.includes(profile));
      const published = started.flatMap(([, { ports = [] }]) => ports);
      expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
      expect(new Set(published.map((port) => port.split(':')[1])).size).toBe(published.length);
    }
  });

  it('contains no password, key, address or configuration, only required variables', () => {
    const secret = /PASSWORD|SECRET|KEYS$|_URL$|CONFIG/;
    const references = textsOf(file).flatMap(referencesIn);
    expect(references.filter(({ kind }) => kind === 'bare')).toEqual([]);
    for (const { name, kind } of references.filter((reference) => secret.test(reference.name))) {
      expect([name, kind]).toEqual([name, 'required']);
    }
    expect(references.filter(({ kind }) => kind === 'default').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['KEYS_MODE', 'LOG_LEVEL', 'POSTGRES_ADDRESS']),
    );
    for (const [, { environment = {} }] of services) {
      for (const [name, value] of Object.entries(environment)) {
        if (/PASSWORD/.test(name)) expect(value).toMatch(/^\$\{[A-Z_]+:\?[^}]+\}$/);
        if (/^[a-z]+:\/\/[^/]*:[^/]*@/.test(value)) expect(value).toMatch(/^postgres:\/\/[a-z_]+:\$\{[A-Z_]+:\?/);
      }
    }
  });

  it('fails for every missing required variable and names it', () => {
    const required = new Set(
      textsOf(file)
        .flatMap(referencesIn)
        .filter(({ kind }) => kind === 'required')
        .map(({ name }) => name),
    );
    for (const name of required) {
      for (const missing of [{ ...sandbox, [name]: '' }, Object.fromEntries(Object.entries(sandbox).filter(([other]) => other !== name))]) {
        expect(() => textsOf(file).forEach((text) => filled(text, missing))).toThrow(`${name} is missing: `);
      }
    }
    expect([...required].filter((name) => !(name in readVariables('production.env')))).toEqual([]);
  });

  it('allows insecure EventStoreDB connections only in the sandbox', () => {
    const insecure = services.filter(([, { environment = {} }]) => 'EVENTSTORE_INSECURE' in environment);
    expect(insecure.map(([name, { profiles }]) => [name, profiles])).toEqual([['event-log', ['sandbox']]]);
    const nodes = services.filter(([name]) => /^event-log-\d$/.test(name));
    expect(nodes).toHaveLength(3);
    for (const [name, { environment = {}, profiles }] of nodes) {
      const number = name.slice(-1);
      expect(profiles).toEqual(['cluster']);
      expect(environment).toMatchObject({
        EVENTSTORE_CLUSTER_SIZE: '3',
        EVENTSTORE_NODE_HOST_ADVERTISE_AS: name,
        EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS: name,
        EVENTSTORE_CERTIFICATE_FILE: `/certificates/node${number}/node.crt`,
        EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE: `/certificates/node${number}/node.key`,
      });
      const seeds = (environment['EVENTSTORE_GOSSIP_SEED'] ?? '').split(',');
      expect([...seeds, `${name}:2113`].sort()).toEqual(['event-log-1:2113', 'event-log-2:2113', 'event-log-3:2113']);
    }
  });
});

describe.each(orchestrators)('%s of docker-compose.yml', (name) => {
  const service = file.services[name] as ComposeService;

  it('runs with a read-only file system and without privileges', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], ulimits: { core: 0 } });
    expect(service.tmpfs).toEqual(['/tmp']);
  });

  it('sets only settings that the service knows', () => {
    expect(unknownSettings(environmentOf(file, name, sandbox))).toEqual([]);
  });

  it.each([
    ['sandbox', sandbox, false],
    ['production', production, true],
  ])('has an environment that the service accepts: %s', (_title, variables, isProduction) => {
    const environment = readEnvironment(environmentOf(file, name, variables), ROOT);
    expect(environment).toMatchObject({ isProduction, host: '0.0.0.0', port: 8080, operatorPort: 8082, dataDir: '/data' });
    expect([environment.eventStore.kind, environment.readModel.kind, environment.vault.kind]).toEqual([
      'eventstoredb',
      'postgres',
      'postgres',
    ]);
    expect([...environment.roles]).toEqual([service.environment?.['ROLES']]);
    const addressOf = (store: typeof environment.vault): URL => new URL(store.kind === 'postgres' ? store.url.reveal() : 'file:');
    const [readModel, vault] = [addressOf(environment.readModel), addressOf(environment.vault)];
    expect([readModel.username, readModel.password, readModel.pathname]).toEqual([
      'read_models',
      variables['READ_MODELS_PASSWORD'],
      '/read_models',
    ]);
    expect([vault.username, vault.password, vault.pathname]).toEqual(['card_vault', variables['CARD_VAULT_PASSWORD'], '/card_vault']);
    const mounts = (service.volumes ?? []).map((text) => filled(text, variables).split(':'));
    const signingKey = environment.logSigningKeyPath ?? '';
    for (const path of [environment.dataDir, environment.vaultKeyringPath, environment.configurationPath, signingKey]) {
      expect(mounts.filter(([, target = '']) => path === target || path.startsWith(`${target}/`))).toHaveLength(1);
    }
  });
});

describe('the operator port in docker-compose.yml', () => {
  it('is on an internal network with no store and no merchant server', () => {
    expect(file.networks).toEqual({ operators: { internal: true } });
    const joined = services.filter(([, { networks = [] }]) => networks.includes('operators')).map(([name]) => name);
    expect(joined).toEqual(orchestrators);
    for (const name of orchestrators) expect([name, file.services[name]?.networks]).toEqual([name, ['default', 'operators']]);
  });

  it('is not published, and accepts every host name under which Prometheus scrapes it', () => {
    const scraped = readFileSync(join(ROOT, 'deploy', 'prometheus', 'prometheus.yml'), 'utf8');
    const targets = [...scraped.matchAll(/'([a-z0-9-]+):8082'/g)].map(([, name]) => name);
    expect(targets.sort()).toEqual([...orchestrators].sort());
    for (const name of orchestrators) {
      const { operatorHosts, operatorHost } = readEnvironment(environmentOf(file, name, production), ROOT);
      for (const target of targets) expect(isOwnHost(`${target}:8082`, { operatorHosts, operatorHost })).toBe(true);
      expect(isOwnHost('rebound.example:8082', { operatorHosts, operatorHost })).toBe(false);
      expect((file.services[name]?.ports ?? []).filter((port) => port.endsWith(':8082'))).toEqual([]);
    }
  });
});

describe('merchant-server of docker-compose.yml', () => {
  const service = file.services['merchant-server'] as ComposeService;

  it("runs the service's image with its own command and health check, without privileges, in an optional profile", () => {
    expect(service).toMatchObject({
      image: file.name,
      profiles: ['merchant-server'],
      command: ['node', '--disable-sigusr1', 'dist/apps/merchant-server/src/main.js'],
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ulimits: { core: 0 },
      healthcheck: { test: ['CMD', 'bash', '/app/deploy/healthy.sh'] },
    });
  });

  it('shares only the configuration folder with other services', () => {
    const others = services.filter(([name]) => name !== 'merchant-server').flatMap(([, { volumes = [] }]) => volumes);
    const sourcesOf = (volumes: readonly string[]): readonly string[] =>
      volumes.map((text) => filled(text, production).split(':')[0] ?? '');
    expect(sourcesOf(service.volumes ?? []).filter((source) => sourcesOf(others).includes(source))).toEqual([production.ORCH_CONFIG_DIR]);
  });

  it.each([
    ['sandbox', sandbox, false],
    ['production', production, true],
  ])('has an environment that the program accepts: %s', (_title, variables, isProduction) => {
    const given = environmentOf(file, 'merchant-server', variables);
    const environment = readMerchantServerEnvironment(given, ROOT);
    expect(environment).toMatchObject({
      isProduction,
      host: '0.0.0.0',
      port: 8081,
      operatorPort: 8084,
      dataDir: '/data',
      eventStore: { kind: 'file' },
    });
    expect(Object.keys(given).filter((name) => !settingsAskedBy(readMerchantServerEnvironment).has(name))).toEqual([]);
    const mounts = (service.volumes ?? []).map((text) => filled(text, variables).split(':')[1] ?? '');
    for (const path of [environment.dataDir, environment.keyringPath, environment.configurationPath]) {
      expect(mounts.filter((target) => path === target || path.startsWith(`${target}/`))).toHaveLength(1);
    }
  });

  it('.env.merchant-server.example lists exactly the existing settings', () => {
    const names = [...readFileSync(join(ROOT, '.env.merchant-server.example'), 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual([...settingsAskedBy(readMerchantServerEnvironment)].sort());
  });
});

describe('documented settings', () => {
  it('are complete in .env.example and docs/run.md', () => {
    for (const document of ['.env.example', 'docs/run.md']) {
      const text = readFileSync(join(ROOT, document), 'utf8');
      expect([document, [...settingsAskedBy()].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))]).toEqual([document, []]);
    }
  });

  it('exist for every name in .env.example', () => {
    const names = [...readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !settingsAskedBy().has(name))).toEqual([]);
  });
});
