import type { OrderId } from '@app/kernel';
import type { Answer, Merchant } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { cardOf, Device } from '../../support/devices/device';
import { OauthMerchant, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { fromBoth, TwoApis } from '../../support/merchants/two-apis';

jest.setTimeout(120_000);

const BURSTS = 20;
const BURST_SIZES = [1, 2, 1, 5, 10];
const ROUNDS = 5;

const REPLAYS = 20;

let merchantServer: ScriptedMerchant;
let apis: TwoApis;
let merchants: readonly [Merchant, Merchant];
let acme: Merchant;
let cardRefId: string;

beforeAll(async () => {
  merchantServer = await ScriptedMerchant.start(SANDBOX_CONTROL_KEY);
  apis = await TwoApis.start({
    configuration: sandboxConfiguration({ acme: { merchantUrl: merchantServer.url, oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE } }),
  });
  merchants = apis.merchants();
  [acme] = merchants;
  cardRefId = await acme.registeredCard();
});
afterAll(async () => {
  await apis?.dispose();
  await merchantServer?.stop();
});

const told = (answers: readonly Answer[], name: string): ReadonlySet<string | undefined> =>
  new Set(answers.map(({ fields }) => fields[name]));

/** With a CVV, the accepting instance submits the order, so that no test waits for a worker. */
const ORDERINGS: readonly { readonly fields: () => Fields; readonly send: (merchant: Merchant, fields: Fields) => Promise<Answer> }[] = [
  { fields: () => acme.saleFields(), send: (merchant, fields) => merchant.post('sale', merchant.signedSale(fields)) },
  {
    fields: () => acme.rebillFields(cardRefId, { cvv2: '123' }),
    send: (merchant, fields) => merchant.post('make-rebill-sale', merchant.signedRebill(fields)),
  },
];

describe('identical simultaneous requests at two instances (safety, B9 and F9; architecture, rule 1)', () => {
  it(`make one order and one charge per burst in ${BURSTS} bursts of payments and recurrent payments, with a serial for every response`, async () => {
    const orderIds: string[] = [];
    const serials = new Set<string | undefined>();
    let requests = 0;
    for (let burst = 0; burst < BURSTS; burst++) {
      const { fields, send } = ORDERINGS[burst % ORDERINGS.length] as (typeof ORDERINGS)[number];
      const request = fields();
      const answers = await fromBoth(merchants, (merchant) => send(merchant, request), BURST_SIZES[burst % BURST_SIZES.length]);
      requests += answers.length;
      for (const { fields: answered } of answers) serials.add(answered['serial-number']);
      expect(told(answers, 'type')).toStrictEqual(new Set(['async-response']));
      const [orderId, ...others] = told(answers, 'paynet-order-id');
      expect(others).toStrictEqual([]);
      orderIds.push(orderId ?? '');
      const order = { clientOrderId: request['client_orderid'] ?? '', orderId: orderId ?? '' };
      for (const merchant of merchants) expect(await merchant.finalStatus(order)).toMatchObject({ status: 'approved' });
    }
    expect(serials.size).toBe(requests);
    expect(new Set(orderIds).size).toBe(BURSTS);
    const ledger = apis.replicas.ledger();
    try {
      const sent = ledger.requests().filter(({ kind }) => kind === 'charge');
      for (const id of orderIds) {
        expect(sent.filter(({ orderId }) => orderId === id)).toHaveLength(1);
        expect(ledger.approvedChargesByOrder().get(id as OrderId)).toBe(1);
      }
      expect(ledger.violations()).toStrictEqual([]);
    } finally {
      ledger.close();
    }
  });

  it('with two contents under one client_orderid make one order, and the other content is refused with code 7 at both [W280]', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const request = acme.saleFields();
      const amounts = ['10.00', '20.00'];
      const answers = await Promise.all(
        amounts.map((amount) => fromBoth(merchants, (merchant) => merchant.post('sale', merchant.signedSale({ ...request, amount })))),
      );
      const accepted = answers.filter((same) => told(same, 'type').has('async-response'));
      const refused = answers.filter((same) => told(same, 'error-code').has('7'));
      expect([accepted.length, refused.length]).toStrictEqual([1, 1]);
      expect(told(accepted.flat(), 'paynet-order-id').size).toBe(1);
      expect(told(refused.flat(), 'type')).toStrictEqual(new Set(['validation-error']));
      const order = { clientOrderId: request['client_orderid'] ?? '', orderId: accepted[0]?.[0]?.fields['paynet-order-id'] ?? '' };
      const amount = amounts[answers.findIndex((same) => same === accepted[0])];
      for (const merchant of merchants) expect(await merchant.finalStatus(order)).toMatchObject({ status: 'approved', amount });
    }
  });

  it('to register a card return one reference that both instances accept', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const order = await acme.approvedSale();
      const answers = await fromBoth(merchants, (merchant) => merchant.createCardRef(order), 2);
      expect(told(answers, 'type')).toStrictEqual(new Set(['create-card-ref-response']));
      const [reference, ...others] = told(answers, 'card-ref-id');
      expect(others).toStrictEqual([]);
      const infos = await fromBoth(merchants, (merchant) => merchant.cardInfo(reference ?? ''));
      expect(told(infos, 'type')).toStrictEqual(new Set(['get-card-info-response']));
      const cards = infos.map(({ fields: { 'serial-number': _, ...card } }) => card);
      expect(cards).toStrictEqual([cards[0], cards[0]]);
    }
  });
});

it('one of several identical OAuth requests at two instances is served (safety, B17)', async () => {
  const signer = new OauthMerchant(apis.replicas, () => apis.replicas.publicBaseUrl);
  const { clientOrderId: client_orderid } = await acme.approvedSale();
  const fields = { client_orderid };
  const authorization = signer.authorization('status', fields);
  const ask = (_: unknown, at: number): Promise<Answer> =>
    signer.postSigned(signer.pathOf('status'), fields, { authorization }, apis.replicas.at(at % 2));
  const answers = await Promise.all(Array.from({ length: REPLAYS }, ask));
  expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, ...Array.from({ length: REPLAYS - 1 }, () => 403)]);
});

describe('an app that uses two instances simultaneously (safety, B9 and B17; protocol decisions, section 8)', () => {
  const ASKED = { operation: 'sale', endpointId: '1001', amountCentis: 1_042, body: { sourceOfFunds: { card: cardOf('123') } } } as const;
  let devices: readonly [Device, Device];
  beforeAll(() => {
    devices = [
      new Device(apis.replicas.at(0), merchantServer, SANDBOX_CONTROL_KEY),
      new Device(apis.replicas.at(1), merchantServer, SANDBOX_CONTROL_KEY),
    ];
  });

  it('gets one token and one check for identical performs [W417]', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const asked = devices[0].initiate(ASKED);
      const tokens = await Promise.all(Array.from({ length: 10 }, (_, at) => devices[at % 2 === 0 ? 0 : 1].performed(asked)));
      const [token = '', ...others] = new Set(tokens);
      expect(others).toStrictEqual([]);
      expect(await devices[1].statusWhen(asked, token, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
      expect(merchantServer.of('check', asked.invoiceId)).toHaveLength(1);
    }
  });

  it(`is refused at both instances with a used nonce, ${REPLAYS} times [W416]`, async () => {
    const first = devices[0].initiate(ASKED);
    await devices[0].performed(first);
    const replays = Array.from({ length: REPLAYS }, (_, at) => {
      const device = devices[at % 2 === 0 ? 0 : 1];
      return device.perform(device.initiate({ ...ASKED, nonce: first.nonce }));
    });
    for (const { json } of await Promise.all(replays)) expect(json).toMatchObject({ error: { cause: 'INVALID_REQUEST' } });
  });

  it('gets one of two invoices with the same nonce accepted', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const asked = devices[0].initiate(ASKED);
      const rival = devices[1].initiate({ ...ASKED, nonce: asked.nonce });
      const answers = await Promise.all([devices[0].perform(asked), devices[1].perform(rival)]);
      expect(answers.filter(({ json }) => 'session' in json)).toHaveLength(1);
    }
  });
});
