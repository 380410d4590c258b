import { ConfigurationFault } from './reading/fault';
import { readMerchantServerEnvironment } from './merchant-server-environment';
import type { EnvironmentVariables } from './reading/environment';

const read = (environment: EnvironmentVariables) => readMerchantServerEnvironment(environment, '/pkg');
const refusal = (environment: EnvironmentVariables): string[] => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('the merchant server\'s environment (architecture, "Configuration")', () => {
  it('has a default for every setting', () => {
    expect(read({})).toEqual({
      isProduction: false,
      host: '127.0.0.1',
      port: 8081,
      operatorHost: '127.0.0.1',
      operatorPort: 8084,
      dataDir: '/pkg/data/merchant-server',
      eventStore: { kind: 'file', path: '/pkg/data/merchant-server/events.sqlite' },
      keyringPath: '/pkg/data/merchant-server/merchant-keyring.json',
      configurationPath: '/pkg/config/merchant-server.yaml',
      logLevel: 'info',
    });
  });

  it('reads the given variables', () => {
    const given = read({
      PORT: '0',
      HOST: '0.0.0.0',
      DATA_DIR: '/data',
      EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
      MERCHANT_CONFIG: '/etc/products.yaml',
      LOG_LEVEL: 'warn',
    });
    expect(given).toMatchObject({ port: 0, host: '0.0.0.0', dataDir: '/data', eventStore: { kind: 'eventstoredb' }, logLevel: 'warn' });
    expect(given.keyringPath).toBe('/data/merchant-keyring.json');
    expect(given.configurationPath).toBe('/etc/products.yaml');
  });

  it('requires MERCHANT_KEYRING in production', () => {
    expect(refusal({ NODE_ENV: 'production' })).toStrictEqual(['MERCHANT_KEYRING: is required when NODE_ENV=production']);
    expect(read({ NODE_ENV: 'production', MERCHANT_KEYRING: '/keys/ring.json' })).toMatchObject({
      isProduction: true,
      keyringPath: '/keys/ring.json',
    });
  });

  it('rejects an operator port equal to the public port', () => {
    expect(read({ OPERATOR_HOST: '0.0.0.0', OPERATOR_PORT: '9' })).toMatchObject({ operatorHost: '0.0.0.0', operatorPort: 9 });
    expect(refusal({ PORT: '9000', OPERATOR_PORT: '9000' })).toStrictEqual(['OPERATOR_PORT: must differ from PORT']);
  });

  it('reports all faults at once', () => {
    expect(
      refusal({ PORT: 'x', HOST: 'a b', EVENTSTORE_URL: 'postgres://x/y', LOG_LEVEL: 'loud', NODE_ENV: 'prod' }).map(
        (fault) => fault.split(':')[0],
      ),
    ).toStrictEqual(['NODE_ENV', 'LOG_LEVEL', 'PORT', 'HOST', 'EVENTSTORE_URL']);
  });
});
