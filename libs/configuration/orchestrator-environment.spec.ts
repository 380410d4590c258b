import { resolve } from 'node:path';
import fc from 'fast-check';
import { codePoint, webAddress } from '@app/testing/any-text';
import { ConfigurationFault } from './reading/fault';
import { parseStoreUrl, type EnvironmentVariables } from './reading/environment';
import { readEnvironment } from './orchestrator-environment';

const read = (environment: EnvironmentVariables) => readEnvironment(environment, '/pkg');
const refusal = (environment: EnvironmentVariables): string[] => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  throw new Error('nothing was refused');
};

it('has a default for every setting', () => {
  expect(read({})).toEqual({
    isProduction: false,
    host: '127.0.0.1',
    port: 8080,
    operatorHost: '127.0.0.1',
    operatorPort: 8082,
    operatorHosts: [],
    operatorMetrics: 'open',
    operatorTokenPath: '/pkg/data/orchestrator/operator-token',
    dataDir: '/pkg/data/orchestrator',
    eventStore: { kind: 'file', path: '/pkg/data/orchestrator/events.sqlite' },
    readModel: { kind: 'file', path: '/pkg/data/orchestrator/read-model.sqlite' },
    readModelPartition: { number: 1, of: 1 },
    vault: { kind: 'file', path: '/pkg/data/orchestrator/vault.sqlite' },
    vaultKeyringPath: '/pkg/data/orchestrator/vault-keyring.json',
    logProofsDir: '/pkg/data/orchestrator/log-proofs',
    logSigningKeyPath: '/pkg/data/orchestrator/log-signing-key.pem',
    mayMakeLogSigningKey: true,
    logVerifyKeyPath: undefined,
    logWitnesses: [],
    simulatorLedgerPath: '/pkg/data/orchestrator/simulator.sqlite',
    configurationPath: '/pkg/config/sandbox.yaml',
    logLevel: 'info',
    roles: new Set(['api', 'worker']),
  });
});

it('treats an empty variable as unset', () => {
  const empty = Object.fromEntries(
    ['PORT', 'HOST', 'DATA_DIR', 'EVENTSTORE_URL', 'ROLES', 'LOG_LEVEL', 'NODE_ENV'].map((name) => [name, '']),
  );
  expect(read(empty)).toEqual(read({}));
});

it('puts the default stores into the given data directory', () => {
  const { dataDir, eventStore, simulatorLedgerPath } = read({ DATA_DIR: '/var/lib/orch' });
  expect([dataDir, eventStore, simulatorLedgerPath]).toEqual([
    '/var/lib/orch',
    { kind: 'file', path: '/var/lib/orch/events.sqlite' },
    '/var/lib/orch/simulator.sqlite',
  ]);
});

it('reads the given variables', () => {
  const environment = read({
    PORT: '0',
    HOST: '0.0.0.0',
    OPERATOR_PORT: '9000',
    OPERATOR_HOST: '::1',
    OPERATOR_HOSTS: 'Api-1, api-2.internal',
    OPERATOR_URL: 'https://operators.example:8443',
    OPERATOR_METRICS: 'token',
    LOG_LEVEL: 'debug',
    ROLES: ' api ',
    ORCH_CONFIG: 'my.yaml',
    VAULT_KEYRING: '/run/keyring',
    LOG_SIGNING_KEY: '/run/log-signing-key.pem',
    NODE_ENV: 'production',
  });
  expect(environment).toMatchObject({ port: 0, host: '0.0.0.0', operatorPort: 9000, operatorHost: '::1', logLevel: 'debug' });
  expect(environment).toMatchObject({ operatorHosts: ['api-1', 'api-2.internal', 'operators.example'], operatorMetrics: 'token' });
  expect(environment).toMatchObject({ vaultKeyringPath: '/run/keyring', isProduction: true, configurationPath: resolve('my.yaml') });
  expect(environment.roles).toEqual(new Set(['api']));
});

it('reads the log proof settings and creates no key if its path is given', () => {
  const witnesses = { LOG_WITNESSES: '/mnt/witness, /mnt/other ,' };
  expect(read({ ...witnesses, LOG_PROOFS: '/var/proofs', LOG_SIGNING_KEY: '/run/log.pem', LOG_VERIFY_KEY: 'log.pub' })).toMatchObject({
    logProofsDir: '/var/proofs',
    logSigningKeyPath: '/run/log.pem',
    mayMakeLogSigningKey: false,
    logVerifyKeyPath: resolve('log.pub'),
    logWitnesses: ['/mnt/witness', '/mnt/other'],
  });
});

it('requires LOG_SIGNING_KEY in production and signs nothing if it is "none"', () => {
  const production = { NODE_ENV: 'production', VAULT_KEYRING: '/run/keyring' };
  for (const missing of [{}, { LOG_SIGNING_KEY: '' }])
    expect(refusal({ ...production, ...missing })).toStrictEqual([
      'LOG_SIGNING_KEY: is required when NODE_ENV=production: the path of a key that "orch log key new <path>" makes, or none (then no checkpoint and no evidence pack is signed)',
    ]);
  for (const environment of [{ ...production, LOG_SIGNING_KEY: 'none' }, { LOG_SIGNING_KEY: 'none' }])
    expect(read(environment)).toMatchObject({ logSigningKeyPath: undefined, mayMakeLogSigningKey: false });
});

it('reports all faults at once with their names and shows no password', () => {
  const faults = refusal({
    PORT: '65536',
    HOST: 'a b',
    OPERATOR_PORT: '-1',
    EVENTSTORE_URL: 'postgres://u:pa55word@db/events',
    READ_MODEL_URL: 'esdb://es:2113',
    VAULT_URL: 'mysql://db',
    LOG_LEVEL: 'loud',
    ROLES: 'api,api',
    NODE_ENV: 'Production',
    DATA_DIR: 'a\0b',
  });
  expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(
    ['DATA_DIR', 'EVENTSTORE_URL', 'HOST', 'LOG_LEVEL', 'NODE_ENV', 'OPERATOR_PORT', 'PORT', 'READ_MODEL_URL', 'ROLES', 'VAULT_URL'].sort(),
  );
  expect(faults.join()).not.toContain('pa55word');
});

it.each([
  [{ OPERATOR_HOSTS: 'api-1:8082' }, 'OPERATOR_HOSTS: must be a comma-separated list of at most 100 host names, without ports'],
  ...['operators.example', 'https://operators.example/', 'https://x@operators.example', 'ftp://operators.example', 'https://a b'].map(
    (OPERATOR_URL): [Readonly<Record<string, string>>, string] => [
      { OPERATOR_URL },
      'OPERATOR_URL: must be scheme, host and port without a path, such as https://operators.example',
    ],
  ),
  [{ OPERATOR_METRICS: 'closed' }, 'OPERATOR_METRICS: must be open or token'],
  [{ PORT: '8082' }, 'OPERATOR_PORT: must differ from PORT'],
  [{ NODE_ENV: 'production', LOG_SIGNING_KEY: 'none' }, 'VAULT_KEYRING: is required when NODE_ENV=production'],
  [{ ROLES: 'api,boss' }, 'ROLES: must be a comma-separated list of api, worker, each at most once'],
  [{ LOG_WITNESSES: 'https://w.example/' }, 'LOG_WITNESSES: must be a comma-separated list of directories'],
  [{ LOG_WITNESSES: 'a,'.repeat(17) }, 'LOG_WITNESSES: must have at most 16 directories'],
  ...['0/1', '2/1', '1', '1/65', 'a/b', '1/2/3', '01/02'].map((text): [EnvironmentVariables, string] => [
    { READ_MODEL_URL: 'postgres://db/x', READ_MODEL_PARTITION: text },
    'READ_MODEL_PARTITION: must be <number>/<count>, such as 1/2, with a count of at most 64',
  ]),
  [
    { READ_MODEL_PARTITION: '1/2' },
    'READ_MODEL_PARTITION: needs read models on PostgreSQL, because a file has only one writer: set READ_MODEL_URL',
  ],
  [{ ROLES: ',' }, 'ROLES: must be a comma-separated list of api, worker, each at most once'],
])('rejects %j', (environment: EnvironmentVariables, fault) => expect(refusal(environment)).toEqual([fault]));

it.each([
  [{}, { number: 1, of: 1 }],
  [{ READ_MODEL_PARTITION: '1/1' }, { number: 1, of: 1 }],
  [
    { READ_MODEL_URL: 'postgres://db/x', READ_MODEL_PARTITION: '3/64' },
    { number: 3, of: 64 },
  ],
])('reads from %j the partition %j', (environment: EnvironmentVariables, partition) =>
  expect(read(environment).readModelPartition).toStrictEqual(partition),
);

describe('a store address', () => {
  it.each([
    ['/var/x.sqlite', '/var/x.sqlite'],
    ['x.sqlite', resolve('x.sqlite')],
    ['file:///var/a%20b.sqlite', '/var/a b.sqlite'],
    ['file:x.sqlite', resolve('x.sqlite')],
    ['FILE:/var/x.sqlite', '/var/x.sqlite'],
  ])('%s is a file', (text, path) => expect(parseStoreUrl(text)).toEqual({ kind: 'file', path }));

  it.each([
    ['esdb://es:2113?tls=false', 'eventstoredb'],
    ['esdb+discover://cluster:2113', 'eventstoredb'],
    ['postgres://u:p@db:5432/x', 'postgres'],
    ['postgresql://db/x', 'postgres'],
  ])('%s is a server, and its address is secret', (text, kind) => {
    const store = parseStoreUrl(text);
    expect(store?.kind).toBe(kind);
    expect(store?.kind !== 'file' && store?.url.reveal()).toBe(text);
    expect(JSON.stringify(store)).not.toContain(text);
  });

  it.each([
    '',
    'http://x',
    'esdb:',
    'esdb://',
    'postgres:',
    'file:',
    'file://host/x',
    'file:x?mode=memory',
    ':memory:',
    'file::memory:',
    'a\nb',
  ])('rejects %j', (text) => expect(parseStoreUrl(text)).toBeUndefined());
});

it('throws only ConfigurationFault for any environment', () => {
  const names = ['PORT', 'HOST', 'DATA_DIR', 'EVENTSTORE_URL', 'READ_MODEL_URL', 'READ_MODEL_PARTITION', 'VAULT_URL', 'VAULT_KEYRING', 'LOG_LEVEL', 'ORCH_CONFIG', 'OPERATOR_PORT', 'OPERATOR_HOST', 'OPERATOR_HOSTS', 'OPERATOR_URL', 'OPERATOR_METRICS', 'ROLES', 'NODE_ENV']; // prettier-ignore
  const value = fc.oneof(fc.string({ unit: codePoint }), webAddress, fc.constantFrom('file:', 'esdb://', 'production', 'api', '8080'));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value), (environment) => {
      try {
        read(environment);
      } catch (error) {
        if (!(error instanceof ConfigurationFault) || error.faults.length === 0) throw error;
      }
    }),
    { numRuns: 1_000 },
  );
});
