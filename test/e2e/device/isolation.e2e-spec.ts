import { randomBytes, randomUUID } from 'node:crypto';
import { gatewayPath, MERCHANT_ROUTES, type DeviceOperation } from '@app/gateway-protocol';
import { MerchantServerClient, byReference, type Begun, type MerchantServerReply } from '../../support/devices/merchant-server-client';
import { cardOf, Device, type Asked, type Initiated, type JsonAnswer } from '../../support/devices/device';
import { lastingHeaders } from '../../support/isolation/lasting-headers';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { ACME_PRODUCT, MerchantServer } from '../../support/devices/merchant-server';
import { sandboxConfiguration, THIRD_CONTROL_KEY } from '../../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const OPERATIONS: readonly DeviceOperation[] = ['verification', 'sale', 'transfer'];

interface Side {
  readonly merchantServer: ScriptedMerchant;
  readonly device: Device;
  readonly endpointId: string;
  readonly done: Readonly<Record<DeviceOperation, { readonly asked: Initiated; readonly token: string }>>;
  readonly serverCardId: string;
}

let service: Service;
let acme: Side;
let third: Side;
let before: readonly unknown[];

const ask = (operation: DeviceOperation, endpointId: string, more: Partial<Asked> = {}): Asked => ({
  operation,
  endpointId,
  ...(operation === 'verification'
    ? { body: { sourceCard: cardOf('123') } }
    : {
        amountCentis: 1_042,
        body: {
          sourceOfFunds: { card: cardOf('123') },
          ...(operation === 'transfer' && { destinationOfFunds: { card: { number: '5555555555554444' } } }),
        },
      }),
  ...more,
});

const sideOf = async (merchantServer: ScriptedMerchant, controlKey: string, endpointId: string): Promise<Side> => {
  const device = new Device(service, merchantServer, controlKey);
  const doing = OPERATIONS.map(async (operation) => {
    const asked = device.initiate(ask(operation, endpointId));
    const token = await device.performed(asked);
    await device.statusWhen(asked, token, 'APPROVED', 'TRANSFER_FEE_REQUEST');
    return [operation, { asked, token }] as const;
  });
  const done = Object.fromEntries(await Promise.all(doing)) as Side['done'];
  const [told] = merchantServer.of('notification', done.verification.asked.invoiceId);
  const { serverCardId = '' } = (told?.body['reference'] ?? {}) as { serverCardId?: string };
  return { merchantServer, device, endpointId, done, serverCardId };
};

const standing = (): Promise<readonly unknown[]> =>
  Promise.all(
    [acme, third].flatMap(({ device, done }) =>
      OPERATIONS.map(async (name) => (await device.status(done[name].asked, done[name].token)).json),
    ),
  );

beforeAll(async () => {
  const merchantServers = [await ScriptedMerchant.start(SANDBOX_CONTROL_KEY), await ScriptedMerchant.start(THIRD_CONTROL_KEY)] as const;
  const consumerChooses = { currency: 'USD', gates: ['sim-a'], transferRates: 'consumer' };
  service = await Service.start({
    configuration: sandboxConfiguration({
      acme: { merchantUrl: merchantServers[0].url },
      endpoints: [{ id: '1004', ...consumerChooses }],
      merchants: [
        {
          login: 'third',
          controlKey: THIRD_CONTROL_KEY,
          merchantUrl: merchantServers[1].url,
          endpoints: [{ id: '8004', ...consumerChooses }],
        },
      ],
    }),
  });
  [acme, third] = await Promise.all([
    sideOf(merchantServers[0], SANDBOX_CONTROL_KEY, '1004'),
    sideOf(merchantServers[1], THIRD_CONTROL_KEY, '8004'),
  ]);
  before = await standing();
});
afterAll(async () => {
  await service?.dispose();
  for (const side of [acme, third]) await side?.merchantServer.stop();
});

const shape = ({ status, headers, body }: JsonAnswer, sent: string): object => {
  return { status, headers: lastingHeaders(headers), body: body.replace(/"code":"\d{16}"/, '"code":""').replaceAll(sent, 'sent') };
};

interface Named {
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly accessToken: string;
  readonly token: string;
}
const NAMES = ['endpointId', 'invoiceId', 'accessToken', 'token'] as const;
const namedBy = ({ done, endpointId }: Side, operation: DeviceOperation): Named => {
  const { asked, token } = done[operation];
  return { endpointId, invoiceId: asked.invoiceId, accessToken: asked.accessToken, token };
};
const nobodys = (): Named => ({
  endpointId: '7777',
  invoiceId: randomUUID(),
  accessToken: randomBytes(32).toString('hex'),
  token: randomUUID(),
});

const MIXTURES = Array.from({ length: 2 ** NAMES.length - 1 }, (_, at) => NAMES.filter((_name, bit) => ((at + 1) & (1 << bit)) !== 0));

const ROUTES: readonly { readonly name: string; readonly operation: DeviceOperation; readonly path: (named: Named) => string }[] = [
  ...OPERATIONS.map((operation) => ({
    name: `${operation} status`,
    operation,
    path: (named: Named) => gatewayPath.status(operation, named),
  })),
  { name: 'complete transfer', operation: 'transfer', path: (named) => gatewayPath.complete(named, 'sim-a') },
];

describe('two merchants at one gateway (safety, B14): identifiers of another merchant get the response of unknown ones, except for error.code', () => {
  it.each(ROUTES)(
    '$name: responds alike for any of endpoint, invoice, access token and token of another merchant [W75, W148, W377, W378]',
    async ({ operation, path }) => {
      for (const [self, other] of [
        [acme, third],
        [third, acme],
      ] as const) {
        const own = namedBy(self, operation);
        const send = (named: Named) => self.device.post(path(named), { session: { accessToken: named.accessToken, token: named.token } });
        for (const mixture of MIXTURES) {
          const foreign = namedBy(other, operation);
          const unknown = nobodys();
          const mixed = (of: Named): Named => ({ ...own, ...Object.fromEntries(mixture.map((name) => [name, of[name]])) });
          // All four are the other merchant's own credentials, so the sender is that merchant's app.
          if (mixture.length === NAMES.length) continue;
          const [theirs, none] = [mixed(foreign), mixed(unknown)];
          const answers = [await send(theirs), await send(none)] as const;
          expect(shape(answers[0], theirs.invoiceId)).toStrictEqual(shape(answers[1], none.invoiceId));
          expect(answers[0].json).toHaveProperty('error.cause');
        }
      }
    },
  );

  it.each(OPERATIONS)("perform %s: responds alike for another merchant's endpoint and an unknown endpoint [W372]", async (operation) => {
    const [own, foreign, none] = [acme.endpointId, third.endpointId, '7777'].map((endpointId) =>
      acme.device.initiate(ask(operation, endpointId)),
    );
    if (own === undefined || foreign === undefined || none === undefined) throw new Error('three requests');
    const answers = [await acme.device.perform(foreign), await acme.device.perform(none)] as const;
    expect(shape(answers[0], foreign.invoiceId)).toStrictEqual(shape(answers[1], none.invoiceId));
    expect(answers[0].json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
    expect(third.merchantServer.of('check', foreign.invoiceId)).toStrictEqual([]);
    expect(await acme.device.perform(own)).toMatchObject({ json: { session: {} } });
  });

  it('accepts the same invoiceId and nonce once from each merchant', async () => {
    const asked = acme.device.initiate(ask('sale', acme.endpointId));
    const same = third.device.initiate(ask('sale', third.endpointId, { nonce: asked.nonce }));
    const [one, other] = [await acme.device.performed(asked), await third.device.performed(same)];
    expect(one).not.toBe(other);
  });

  it('fails a card reference of another merchant like an unknown reference [W382]', async () => {
    const byName = (serverCardId: string) => ({
      body: { sourceOfFunds: { reference: { clientCardId: 'client-card-1', securityCode: '123' } } },
      invoice: { sourceServerCardId: serverCardId },
    });
    expect(third.serverCardId).toMatch(/./);
    const endings = [];
    for (const serverCardId of [third.serverCardId, `c${'0'.repeat(18)}c`]) {
      const asked = acme.device.initiate(ask('sale', acme.endpointId, byName(serverCardId)));
      const token = await acme.device.performed(asked);
      await acme.device.statusWhen(asked, token, 'APPROVED', 'DECLINED');
      endings.push(shape(await acme.device.status(asked, token), asked.invoiceId));
    }
    expect(endings[0]).toStrictEqual(endings[1]);
    expect(JSON.stringify(endings[0])).toContain('PROCESSING_FAILED');
  });

  it('changes no order of either merchant', async () => {
    expect(await standing()).toStrictEqual(before);
  });
});

describe('two products at one merchant server (safety, B14)', () => {
  let server: MerchantServer;
  let own: { readonly merchantServer: MerchantServerClient; readonly begun: Begun; readonly card: string };
  let other: typeof own;
  beforeAll(async () => {
    const more = { login: 'third', controlKey: THIRD_CONTROL_KEY, endpoints: [{ id: '8001', currency: 'USD' }] };
    server = await MerchantServer.start({ configuration: { products: [ACME_PRODUCT, more] } });
    const opened = async (login: string) => {
      const merchantServer = new MerchantServerClient(server, `/${login}`);
      const { begun, source } = await merchantServer.complete('sale', { email: `${login}@example.com`, serialNumber: `SN-${login}` });
      return { merchantServer, begun, card: source };
    };
    [own, other] = [await opened('acme'), await opened('third')];
  });
  afterAll(() => server?.dispose());

  const said = ({ status, text, headers }: MerchantServerReply): object => ({
    status,
    type: headers['content-type'],
    text: text.replace(/"code":"\d{16}"/, '"code":""').replace(/"invoiceId":"[^"]+"/, '"invoiceId":""'),
  });
  const nobody = (): Pick<Begun, 'accessToken' | 'invoiceId' | 'nonce' | 'signature' | 'token'> => ({
    accessToken: randomBytes(32).toString('hex'),
    invoiceId: randomUUID(),
    nonce: randomBytes(32).toString('hex'),
    signature: randomBytes(20).toString('hex'),
    token: randomUUID(),
  });

  it.each(['accessToken', 'invoiceId', 'nonce', 'signature', 'token'] as const)(
    "responds alike to an unknown %s and to the other product's in check, notification, client ids and random sum",
    async (name) => {
      const fresh = await own.merchantServer.begin('sale', { accessToken: own.begun.accessToken, serialNumber: own.begun.serialNumber });
      const withOther = (begun: Begun, of: ReturnType<typeof nobody>): Begun => ({ ...begun, [name]: of[name] });
      const calls: readonly ((of: ReturnType<typeof nobody>) => Promise<MerchantServerReply>)[] = [
        // The check itself returns a session's token, so none is foreign there.
        ...(name === 'token' ? [] : [(of: ReturnType<typeof nobody>) => own.merchantServer.check(withOther(fresh, of))]),
        (of) => own.merchantServer.notify(withOther(own.begun, of)),
        (of) => own.merchantServer.clientIds(withOther(own.begun, of)),
        (of) => own.merchantServer.tellRandomSum(withOther(own.begun, of), 111),
      ];
      for (const call of calls) expect(said(await call(other.begun))).toStrictEqual(said(await call(nobody())));
    },
  );

  it("responds alike to an unknown card or access token and to the other product's in initiate and check", async () => {
    for (const operation of OPERATIONS) {
      const path = MERCHANT_ROUTES.initiate[operation][0];
      const initiate = (accessToken: string) =>
        own.merchantServer.initiate(operation, { accessToken, serialNumber: other.begun.serialNumber, path });
      expect(said(await initiate(other.begun.accessToken))).toStrictEqual(said(await initiate(nobody().accessToken)));
    }
    const fresh = await own.merchantServer.begin('sale', { accessToken: own.begun.accessToken, serialNumber: own.begun.serialNumber });
    const checked = (clientCardId: string) => own.merchantServer.check(fresh, { sourceOfFunds: byReference(clientCardId) });
    expect(said(await checked(other.card))).toStrictEqual(said(await checked(randomUUID())));
  });

  it('keeps the card of each product', async () => {
    for (const { merchantServer, begun, card } of [own, other]) {
      expect((await merchantServer.clientIds(begun)).body).toMatchObject({ sourceCard: { reference: { clientCardId: card } } });
    }
  });
});
