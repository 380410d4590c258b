import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeNumber } from '@app/testing';
import type { StreamName } from '@app/event-store';
import { GROUP_A_PATHS, GROUP_B_OPERATIONS, type GroupAOperationKey } from '@app/gateway-protocol';
import type { AttemptKey } from '@app/kernel';
import { encodePayerLink } from '@app/orders/http';
import { ApiModule } from '../../../apps/orchestrator/src/api.module';
import { HealthModule } from '../../../apps/orchestrator/src/monitoring/health.module';
import { controlFor, GROUP_A_ROUTES, type GroupARoute } from '../../support/merchants/group-a-routes';
import { lastingHeaders } from '../../support/isolation/lasting-headers';
import { newKey, openSide, usualFields, type Side } from '../../support/isolation/side';
import type { Answer } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY, type Fields } from '../../support/merchants/signed-requests';
import { SANDBOX_PRIVATE_KEY_FILE, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { sandboxConfiguration, THIRD_CONTROL_KEY } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

/** Safety, B14: 100 on demand. */
const ROUNDS = wholeNumber('ISOLATION_ROUNDS', 1);
const ROUND_TIMEOUT_MS = 60_000;

jest.setTimeout(60_000 + ROUNDS * ROUND_TIMEOUT_MS);

let service: Service;
let folder: string;
let acme: Side;
let third: Side;
let before: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isolation-'));
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const files = { public: join(folder, 'third.pub.pem'), private: join(folder, 'third.key.pem') };
  writeFileSync(files.public, publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(files.private, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const endpoints = [
    { id: '8001', currency: 'USD', gates: ['sim-a'] },
    { id: '8003', currency: 'USD', gates: ['sim-3ds'] },
  ];
  const merchant = { login: 'third', controlKey: THIRD_CONTROL_KEY, oauthPublicKeyFile: files.public, endpoints };
  const configuration = sandboxConfiguration({
    acme: { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE },
    merchants: [{ ...merchant, groups: [{ id: '8101', endpoints: ['8001'] }] }],
  });
  service = await Service.start({ configuration });
  [acme, third] = await Promise.all([
    openSide(service, {
      login: 'acme',
      controlKey: SANDBOX_CONTROL_KEY,
      privateKeyFile: SANDBOX_PRIVATE_KEY_FILE,
      ...{ endpoint: '1001', group: '2001', endpointOf3ds: '1003' },
    }),
    openSide(service, {
      login: 'third',
      controlKey: THIRD_CONTROL_KEY,
      privateKeyFile: files.private,
      ...{ endpoint: '8001', group: '8101', endpointOf3ds: '8003' },
    }),
  ]);
  before = await standing();
}, 60_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.dispose();
});

const standing = (): Promise<readonly string[]> =>
  Promise.all(
    [acme, third].flatMap(({ merchant, orders }) =>
      Object.values(orders).map(async (order) => {
        const { 'serial-number': _serial, ...fields } = (await merchant.status(order)).fields;
        return JSON.stringify(fields);
      }),
    ),
  );

type Orders = keyof Side['orders'];
/** The orders that a route is tested with: an own order with a stable answer, and a foreign one that the request could change. */
type Row = 'makes-an-order' | 'names-a-card' | { readonly own: Orders; readonly foreign: Orders };

/** Of a route that names an order, if it needs another than an approved sale. */
const NAMED: Readonly<Partial<Record<GroupAOperationKey, Row>>> = {
  capture: { own: 'sale', foreign: 'preauth' },
  void: { own: 'preauth', foreign: 'sale' },
  return: { own: 'declined', foreign: 'sale' },
};

const rowOf = ({ name, fields, isKeyed }: GroupARoute): Row => {
  if (fields['orderid'] !== undefined) return NAMED[name] ?? { own: 'sale', foreign: 'sale' };
  return isKeyed ? 'makes-an-order' : 'names-a-card';
};

const IDENTIFIERS = ['login', 'client_orderid', 'orderid', 'by-request-sn', 'cardrefid'];
/** Fields that identify no record. Each field of a new message must be in one of the two lists. */
const OTHERS = new Set(
  `order_desc amount currency first_name last_name card_printed_name credit_card_number expire_month expire_year cvv2 address1 city zip_code
  country state email phone cell_phone ipaddress ssn birthday site_url purpose redirect_url redirect_success_url redirect_fail_url
  server_callback_url notify_url merchant_data control comment enumerate_amounts recurrent_scenario recurrent_initiator`.split(/\s+/),
);

const ENTRY_POINT = 'entry point';
const KEY = 'Idempotency-Key';
const CONSUMER = 'OAuth consumer';

const reversedWithin = (text: string): string => text.slice(0, 1) + [...text.slice(1, -1)].reverse().join('') + text.slice(-1);

const nobodys = (side: Side, identifier: string, foreign: string): string => {
  switch (identifier) {
    case 'login':
    case CONSUMER:
      return 'nobody';
    case 'client_orderid':
      return side.merchant.newOrderId('x');
    case 'by-request-sn':
      return '00000000-0000-0000-0000-ffffffffffff';
    case ENTRY_POINT:
      return foreign.replace(/\d+$/, '7777');
    case KEY:
      return newKey();
    default:
      return reversedWithin(foreign);
  }
};

interface Asked {
  readonly fields: Fields;
  readonly at: string;
  readonly key?: string | undefined;
  readonly consumer: string;
}

const ask = async (side: Side, route: GroupARoute, { fields, at, key, consumer }: Asked): Promise<Answer> => {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const [version, operation = ''] = route.path.split('/');
  if (version === 'v4') return side.oauth.post(operation, fields, { at, consumerKey: consumer, headers });
  const control = controlFor(route.name, fields, at, side.merchant.key);
  return side.merchant.post(operation, { ...fields, control }, { at, headers });
};

const shown = ({ status, headers, body, fields }: Answer, client_orderid: string | undefined): object => {
  const changing = [fields['serial-number'], client_orderid, fields['type'] === 'async-response' ? fields['paynet-order-id'] : undefined];
  return {
    status,
    headers: lastingHeaders(headers),
    body: changing.reduce<string>((text, part, at) => (part ? text.replace(part, `<${at}>`) : text), body),
  };
};

const entryPointOf = (side: Side, form: 'endpoint' | 'group'): string => (form === 'group' ? `group/${side.group}` : side.endpoint);

/** Each one, each pair, and all together. With a group, pairs add nothing. */
const selectionsOf = (names: readonly string[], form: 'endpoint' | 'group'): readonly (readonly string[])[] => {
  const pairs = form === 'group' ? [] : names.flatMap((name, at) => names.slice(at + 1).map((other) => [name, other]));
  return [...names.map((name) => [name]), ...pairs, ...(names.length > 2 || form === 'group' ? [names] : [])];
};

const optionalLeftOut = (route: GroupARoute, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => route.required.has(name) || !IDENTIFIERS.includes(name)));

const differences = async (route: GroupARoute, form: 'endpoint' | 'group', own: Side, foreign: Side): Promise<readonly string[]> => {
  const row = rowOf(route);
  const isMaking = row === 'makes-an-order';
  const named = typeof row === 'string' ? undefined : row;
  const usual = (side: Side, which: Orders | undefined): Asked => ({
    fields: usualFields(side, route, which && side.orders[which]),
    at: entryPointOf(side, form),
    consumer: side.login,
  });
  const found: string[] = [];
  const variants = [(fields: Fields) => fields, (fields: Fields) => optionalLeftOut(route, fields)];
  for (const variant of variants) {
    const present = Object.keys(variant(usual(own, named?.own).fields));
    const names = [
      ...IDENTIFIERS.filter((name) => present.includes(name)),
      ENTRY_POINT,
      ...(route.isKeyed ? [KEY] : []),
      ...(route.isOauth ? [CONSUMER] : []),
    ];
    const base = await ask(own, route, { ...usual(own, named?.own), fields: variant(usual(own, named?.own).fields) });
    // The base request must be understood: carried out, or refused because of its order's state.
    const isUnderstood = base.fields['type']?.endsWith('-response') === true || base.fields['error-code'] === '11';
    if (!isUnderstood) found.push(`${own.login}'s own: ${base.body}`);

    for (const selection of selectionsOf(names, form)) {
      const theirs = usual(foreign, named?.foreign);
      const operation = route.path.slice(3) as keyof Side['keys'];
      const theirKey = isMaking || !route.isKeyed ? newKey() : foreign.keys[operation];
      if (isMaking) await foreign.merchant.accepted(ask(foreign, route, { ...theirs, key: theirKey }));
      const foreignValue = (name: string): string => {
        if (name === ENTRY_POINT) return theirs.at;
        if (name === KEY) return theirKey;
        return name === CONSUMER ? foreign.login : (theirs.fields[name] ?? '');
      };
      const crossed = async (valueOf: (name: string) => string): Promise<object> => {
        const mine = usual(own, named?.own);
        const put = (name: string, otherwise: string): string => (selection.includes(name) ? valueOf(name) : otherwise);
        const fields = Object.fromEntries(Object.entries(variant(mine.fields)).map(([name, value]) => [name, put(name, value ?? '')]));
        const key = selection.includes(KEY) ? valueOf(KEY) : undefined;
        const asked = { fields, at: put(ENTRY_POINT, mine.at), consumer: put(CONSUMER, mine.consumer), key };
        return shown(await ask(own, route, asked), fields['client_orderid']);
      };
      const toTheirs = JSON.stringify(await crossed(foreignValue));
      const toNobodys = JSON.stringify(await crossed((name) => nobodys(own, name, foreignValue(name))));
      if (toTheirs !== toNobodys) found.push(`${own.login} with the other's ${selection.join(', ')}:\n${toTheirs}\n${toNobodys}`);
    }
  }
  return found;
};

describe(`two merchants using each other's identifiers on every route, ${ROUNDS} times (safety, B14, T10 and T11)`, () => {
  const cases = GROUP_A_ROUTES.flatMap((route) => (['endpoint', 'group'] as const).map((form) => [route.path, form, route] as const));

  it.each(cases)(
    "%s by %s: returns identical bytes for another merchant's identifiers and for unknown ones",
    async (_path, form, route) => {
      for (let round = 0; round < ROUNDS; round++) {
        const [one, other] = await Promise.all([differences(route, form, acme, third), differences(route, form, third, acme)]);
        expect([...one, ...other]).toStrictEqual([]);
      }
    },
  );

  it('every field is classified as an identifier or not', () => {
    const fields = new Set(GROUP_A_ROUTES.flatMap((route) => Object.keys(route.fields)));
    expect([...fields].filter((name) => !IDENTIFIERS.includes(name) && !OTHERS.has(name))).toStrictEqual([]);
  });
});

type Pages = (own: Side, foreign: Side) => readonly (readonly [theirs: string, nobodys: string])[];

type Address = (stream: string, key: string) => string;
const startOf: Address = (stream, key) => encodePayerLink(stream as StreamName, key as AttemptKey);
const returnOf: Address = (stream, key) => `${stream}/${key}/return`;

const payerPages =
  (address: Address): Pages =>
  (own, foreign) => [
    [address(own.payer.stream, foreign.payer.key), address(own.payer.stream, reversedKey(foreign.payer.key))],
    [address(foreign.payer.stream, own.payer.key), address(foreignLike(foreign.payer.stream), own.payer.key)],
  ];
const reversedKey = (key: string): string => key.slice(0, -6) + [...key.slice(-6)].reverse().join('');
/** Changes only middle digits, because the last one contains unused bits. */
const foreignLike = (stream: string): string => stream.slice(0, -9) + [...stream.slice(-9, -1)].reverse().join('') + stream.slice(-1);

const PAGES: Readonly<Record<string, Pages>> = {
  ...Object.fromEntries(
    [...GROUP_A_PATHS.keys()].flatMap((path) =>
      [`api/${path}/:endpointId`, `api/${path}/group/:groupId`].map((page) => [page, (): [] => []]),
    ),
  ),
  ...Object.fromEntries(Object.values(GROUP_B_OPERATIONS).map(({ path }) => [path, (): [] => []])),
  'health/live': () => [],
  'health/ready': () => [],
  'view-receipt/:endpointId/:receiptId{/}': (own, foreign) => [
    [`${own.endpoint}/${foreign.receiptId}/`, `${own.endpoint}/${reversedWithin(foreign.receiptId)}/`],
    [`${foreign.endpoint}/${own.receiptId}/`, `7777/${own.receiptId}/`],
  ],
  'payer/:link': payerPages(startOf),
  'payer/:stream/:key/return': payerPages(returnOf),
  // A gate without notifications. At a listening gate, every sender gets the same answer
  // (test/e2e/gates/upstream-callbacks.long.e2e-spec.ts).
  'gates/:gate{/*path}': (own, foreign) => [
    [`sim-a/${startOf(own.payer.stream, foreign.payer.key)}`, `nowhere/${startOf(own.payer.stream, reversedKey(foreign.payer.key))}`],
  ],
  'simulator/authentication/:gate/:key': (_own, foreign) => [
    [`sim-a/${foreign.payer.key}`, `sim-a/${reversedKey(foreign.payer.key)}`],
    [`nowhere/${foreign.payer.key}`, `nowhere/${reversedKey(foreign.payer.key)}`],
  ],
};

type Class = abstract new (...parts: never[]) => unknown;

const controllersOf = (module: Class): readonly Class[] => {
  const of = (what: string): readonly Class[] => (Reflect.getMetadata(what, module) as readonly Class[] | undefined) ?? [];
  return [...of('controllers'), ...of('imports').flatMap(controllersOf)];
};

const publicRoutes = (): readonly string[] =>
  [ApiModule, HealthModule].flatMap(controllersOf).flatMap((Controller) => {
    const below = Reflect.getMetadata('path', Controller) as string;
    const { constructor: _itself, ...handlers } = Object.getOwnPropertyDescriptors(Controller.prototype as object);
    const paths = Object.values<PropertyDescriptor>(handlers).flatMap(
      ({ value }) => (Reflect.getMetadata('path', value as object) ?? []) as string | string[],
    );
    return paths.map((path) => (below === '/' ? path : `${below}/${path}`));
  });

describe('the pages of the public port (safety, T11)', () => {
  it('each page has a case', () => {
    expect(publicRoutes().length).toBeGreaterThan(0);
    expect([...new Set(publicRoutes())].sort()).toStrictEqual(Object.keys(PAGES).sort());
  });

  it.each(Object.entries(PAGES))("%s: returns identical bytes for another merchant's id and an unknown id", async (route, pages) => {
    const folderOf = `/paynet/${route.slice(0, route.indexOf('/:'))}/`;
    const page = async (method: string, path: string): Promise<{ readonly status: number; readonly shown: object }> => {
      const form = method === 'POST' ? { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'password=hint' } : {};
      const { status, headers, body } = await service.request(folderOf + path, { method, ...form });
      return { status, shown: { headers: lastingHeaders(headers), body } };
    };
    for (const [theirs, nobodysOwn] of [...pages(acme, third), ...pages(third, acme)]) {
      for (const method of ['GET', 'POST']) {
        const answer = await page(method, theirs);
        expect([404, 405]).toContain(answer.status);
        expect(answer).toStrictEqual(await page(method, nobodysOwn));
      }
    }
  });
});

it('the orders of both merchants are unchanged afterwards', async () => {
  expect(await standing()).toStrictEqual(before);
});
