import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATION_NAMES } from '@app/configuration';
import { GROUP_A_OPERATIONS, GROUP_A_PATHS } from '@app/gateway-protocol';
import { GROUP_A_CONTROLLERS, GroupAModule } from '../group-a.module';
import { openMerchantPort, type MerchantPort } from '../testing/merchant-port';
import { unusedParts } from '../testing/unused-parts';

const DOCS = join(__dirname, '../../../../docs');

describe('the paths of Group A (interface, section 4.1; protocol decisions, section 1)', () => {
  let port: MerchantPort;
  beforeAll(async () => {
    port = await openMerchantPort(unusedParts(), { imports: [GroupAModule] });
  });
  afterAll(() => port.close());

  const routed = (): readonly string[] => {
    const { stack } = port.router as { readonly stack: readonly { readonly route?: { readonly path: string } }[] };
    return stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  };
  const ask = async (path: string, method = 'POST') => {
    const response = await fetch(`${port.url}/api/${path}`, { method });
    const { status, headers } = response;
    return { status, allow: headers.get('allow'), type: headers.get('content-type'), body: await response.text() };
  };

  it('equal the rows of the wire document [W65, W164]', () => {
    const rows =
      readFileSync(join(DOCS, 'wire-rows.md'), 'utf8').split('## Protocol decisions 1: Paths and methods')[1]?.split('\n## ')[0] ?? '';
    const named = [...rows.matchAll(/`(v\d\/[a-z-]+)`/g)].map(([, path]) => path);
    expect([...GROUP_A_PATHS.keys()].sort()).toStrictEqual(named.sort());
  });

  it('are listed in the protocol by name, with their version if it is not v2 (decisions, D1.1)', () => {
    const protocol = readFileSync(join(DOCS, 'protocol.md'), 'utf8');
    const row = protocol.split('\n').find((line) => line.startsWith('| D1.1 |')) ?? '';
    const missing = [...GROUP_A_PATHS.keys()].filter((path) => {
      const [version = '', name = ''] = path.split('/');
      return !row.includes(`\`${name}\``) || (version !== 'v2' && !row.includes(version));
    });
    expect(missing).toStrictEqual([]);
  });

  it('are routed once each, by endpoint and by group', () => {
    const expected = [...GROUP_A_PATHS.keys()].flatMap((path) => [`/api/${path}/:endpointId`, `/api/${path}/group/:groupId`]);
    expect([...routed()].sort()).toStrictEqual(expected.sort());
  });

  it('each lead to a controller method with the name of the operation', () => {
    for (const key of GROUP_A_PATHS.values()) {
      const controllers = GROUP_A_CONTROLLERS.filter(({ prototype }) => Object.hasOwn(prototype, key));
      expect([key, controllers]).toStrictEqual([key, [expect.any(Function)]]);
    }
  });

  it.each([...GROUP_A_PATHS.keys()])('%s returns 405 for a method other than POST and 404 for a different path', async (path) => {
    for (const at of [`${path}/1001`, `${path}/group/2001`]) {
      expect(await ask(at, 'PUT')).toStrictEqual({
        status: 405,
        allow: 'POST',
        type: 'text/plain;charset=utf-8',
        body: 'Method Not Allowed\n',
      });
      for (const other of [`${at}/`, `${at}/x`, at.replace('v', 'V'), `x${at}`, `${at}%30`]) {
        const expected = { status: 404, allow: null, type: 'text/plain;charset=utf-8', body: 'Not Found\n' };
        expect([other, await ask(other)]).toStrictEqual([other, expected]);
      }
    }
  });

  it.each(['v3/sale/1001', 'v4/sale/1001', 'v2/Sale/1001', 'v2//1001', '/__proto__/1001', 'constructor/name/1001'])(
    '%s returns 404',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404 });
    },
  );

  it('use the operation names that an entry point lists, except the alias make-rebill', () => {
    const named = [...GROUP_A_PATHS.keys()].map((path) => path.slice(3));
    const listed = OPERATION_NAMES.filter((name) => name !== 'verification' && name !== 'transfer');
    expect(new Set(named.filter((name) => name !== 'make-rebill'))).toStrictEqual(new Set<string>(listed));
    expect(new Set<string>(Object.values(GROUP_A_OPERATIONS).map(({ name }) => name))).toStrictEqual(new Set<string>(listed));
  });
});
