import { isOwnHost } from './operator-caller.middleware';

const local = { operatorHost: '127.0.0.1', operatorHosts: [] };
const everywhere = { operatorHost: '0.0.0.0', operatorHosts: ['api-1', 'worker-1.internal'] };

it.each<[string | undefined, boolean, boolean]>([
  ['127.0.0.1:8082', true, true],
  ['127.0.0.1', true, true],
  ['127.8.9.1:8082', true, true],
  ['localhost:8082', true, true],
  ['LOCALHOST.:8082', true, true],
  ['[::1]:8082', true, true],
  // Addresses are accepted if the port listens beyond this machine, because DNS cannot rebind an address.
  ['10.1.2.3:8082', false, true],
  ['[fd00::17]:8082', false, true],
  ['api-1:8082', false, true],
  ['worker-1.internal', false, true],
  ['Worker-1.Internal.:8082', false, true],
  // Names that anyone may resolve to this machine.
  ['rebound.example:8082', false, false],
  ['rebound.example', false, false],
  ['localhost.rebound.example', false, false],
  ['127.0.0.1.rebound.example:8082', false, false],
  ['api-1.rebound.example:8082', false, false],
  ['127.0.0.1@rebound.example', false, false],
  ['rebound.example#127.0.0.1', false, false],
  ['127.0.0.1:8082:8082', false, false],
  ['127.0.0.1, rebound.example', false, false],
  ['2130706433:8082', false, false],
  ['', false, false],
  ['[::1', false, false],
  [undefined, false, false],
])('Host %j is accepted: %j if the port listens on loopback, %j if it listens on all interfaces', (host, isOwnLocally, isOwnEverywhere) => {
  expect([isOwnHost(host, local), isOwnHost(host, everywhere)]).toStrictEqual([isOwnLocally, isOwnEverywhere]);
});

it('accepts the configured operator host as Host', () => {
  const named = { operatorHost: 'operators.internal', operatorHosts: [] };
  expect(isOwnHost('operators.internal:8082', named)).toBe(true);
  expect(isOwnHost('other.internal:8082', named)).toBe(false);
});
