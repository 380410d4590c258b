import { configurationFrom } from '@app/configuration';
import { templateAdapter } from './adapter';

const configured = (acquirer: object = {}, keys: object = {}): unknown => {
  const endpoints = [{ id: '1001', currency: 'USD', gates: ['one'] }];
  const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints }];
  const gate = {
    alias: 'one',
    adapter: 'template',
    currencies: ['USD'],
    apiKey: 'k'.repeat(16),
    notificationKey: 'n'.repeat(16),
    acquirer: { baseUrl: 'https://acquirer.example', ...acquirer },
    ...keys,
  };
  const at = { source: 'test.json', folder: '/', environment: {}, adapters: [templateAdapter] as const };
  return configurationFrom(JSON.stringify({ merchants, gates: [gate] }), at).accounts.gates[0];
};

describe('the settings of a template gate', () => {
  it('have defaults for optional keys', () => {
    expect(configured()).toMatchObject({ acquirer: { plainHttp: false }, connectionsMax: 64 });
  });

  it('allow http only with plainHttp', () => {
    expect(configured({ baseUrl: 'http://127.0.0.1:9', plainHttp: true })).toBeDefined();
    expect(() => configured({ baseUrl: 'http://127.0.0.1:9' })).toThrow(/gates\[0\]\.acquirer\.baseUrl.*must be https/s);
  });

  it.each(['ftp://acquirer.example', 'https://acquirer.example?to=1', 'acquirer.example'])('reject the invalid address %s', (baseUrl) => {
    expect(() => configured({ baseUrl })).toThrow(/gates\[0\]\.acquirer\.baseUrl.*an http or https address without a query/s);
  });

  it.each(['apiKey', 'notificationKey'])('reject a secret that is too short without repeating it: %s', (name) => {
    const fault = (): unknown => configured({}, { [name]: 'short-one' });
    expect(fault).toThrow(new RegExp(`gates\\[0\\]\\.${name}.*16 to 256 visible characters`, 's'));
    expect(fault).not.toThrow(/short-one/);
  });
});
