import { OauthMerchant, SANDBOX_PRIVATE_KEY_FILE, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { orch } from '../../support/processes/orch';
import { CODES_OF_OURS, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const V2 = '1005';
const V4 = '1006';
const SIMULATED = '1007';

let upstream: Service;
let service: Service;

const upstreamGate = (alias: string, version: 'v2' | 'v4', more: object = {}) => ({
  alias,
  adapter: 'paynet',
  codes: CODES_OF_OURS,
  currencies: ['USD'],
  descriptor: 'test-upstream',
  longestFlightSeconds: 1,
  controlKey: SANDBOX_CONTROL_KEY,
  pollSeconds: 0.1,
  cardRegistration: version,
  upstream: { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true, login: 'acme', endpoint: '1001' },
  ...more,
});

beforeAll(async () => {
  const signed = { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE };
  upstream = await Service.start({ configuration: sandboxConfiguration({ acme: signed }), stores: 'files' });
  const gates = [
    upstreamGate('upstream-v2', 'v2', { rebillControl: 'with-endpoint' }),
    upstreamGate('upstream-v4', 'v4', { oauthPrivateKeyFile: SANDBOX_PRIVATE_KEY_FILE }),
    { alias: 'sim-token', adapter: 'simulator', currencies: ['USD'], tokens: 'approval' },
  ];
  const endpoints = [
    { id: V2, currency: 'USD', gates: ['upstream-v2'] },
    { id: V4, currency: 'USD', gates: ['upstream-v4'] },
    { id: SIMULATED, currency: 'USD', gates: ['sim-token'] },
  ];
  service = await Service.start({ configuration: sandboxConfiguration({ acme: signed, gates, endpoints }), stores: 'files' });
});
afterAll(async () => {
  await service?.dispose();
  await upstream?.dispose();
});

interface Story {
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  readonly upstream?: readonly { readonly order: { readonly stream: string; readonly status: string; readonly stage: string } }[];
}

const storyOf = async (name: string, ...options: readonly string[]): Promise<Story> => {
  const shown = await orch(['--json', 'show', name, ...options], service.orchEnvironment);
  expect(shown).toMatchObject({ code: 0, problems: '' });
  return JSON.parse(shown.out) as Story;
};

const tokenKept = (order: Accepted, gate: string) =>
  until(async () => (await storyOf(order.orderId)).events.find(({ type, data }) => type === 'GateTokenKept' && data['gate'] === gate), {
    what: `the token of ${gate}`,
    timeoutMs: 60_000,
  });

const chargedBy = async (order: Accepted): Promise<unknown> =>
  (await storyOf(order.orderId)).events.find(({ type }) => type === 'AttemptStarted')?.data['chargedBy'];

describe('a card registered through two tiers', () => {
  it.each([
    ['v2', V2],
    ['v4', V4],
  ] as const)("is charged at the other gateway by that gateway's own reference from create-card-ref %s", async (version, at) => {
    const acme = new Merchant(service, { at });
    const order = await acme.approvedSale();
    const asked = { client_orderid: order.clientOrderId, orderid: order.orderId };
    const oauth = new OauthMerchant(service, () => service.baseUrl);
    const { fields } = version === 'v2' ? await acme.createCardRef(order) : await oauth.createCardRef(asked, { at });
    const reference = fields['card-ref-id'] ?? '';
    expect((await acme.cardInfo(reference)).fields).toMatchObject({
      type: 'get-card-info-response',
      bin: '444433',
      'last-four-digits': '1111',
    });

    const { data } = await tokenKept(order, `upstream-${version}`);
    expect(data['token']).toMatch(/^….{4}$/);

    const sale = await acme.approved(acme.rebill(reference, { amount: '7.00', recurrent_scenario: 'IRREGULAR' }));
    const preauth = await acme.approved(acme.rebillPreauth(reference, { amount: '8.00' }));
    for (const [rebilled, stage] of [
      [sale, 'sale_approved'],
      [preauth, 'auth_approved'],
    ] as const) {
      const story = await storyOf(rebilled.orderId, '--follow-upstream', upstream.dataDir);
      expect(story.events.find(({ type }) => type === 'AttemptStarted')?.data).toMatchObject({ chargedBy: 'token' });
      expect(story.upstream).toMatchObject([
        { order: { stream: expect.stringMatching(/^recurring-/) as string, status: 'approved', stage } },
      ]);
    }
    await acme.approvedFollowUp('capture', preauth);
  });

  it('gets a reference while the other gateway is down, and the token once it is back', async () => {
    const acme = new Merchant(service, { at: V2 });
    const order = await acme.approvedSale();
    await upstream.kill();
    const reference = (await acme.createCardRef(order)).fields['card-ref-id'] ?? '';
    expect(reference).not.toBe('');
    await upstream.restart();
    await tokenKept(order, 'upstream-v2');
    expect(await chargedBy(await acme.approved(acme.rebill(reference)))).toBe('token');
  });
});

describe('a card at a gate that returns a token with the approval', () => {
  it("is charged by that token according to the gate's ledger", async () => {
    const acme = new Merchant(service, { at: SIMULATED });
    const order = await acme.approvedSale();
    const reference = (await acme.createCardRef(order)).fields['card-ref-id'] ?? '';
    const rebilled = await acme.approved(acme.rebill(reference, { amount: '9.00' }));
    const ledger = service.ledger();
    try {
      const [transaction] = ledger.transactions().filter(({ orderId }) => orderId === rebilled.orderId);
      expect(transaction).toMatchObject({ gate: 'sim-token', operation: 'charge', chargedBy: 'token', lastFour: '1111' });
    } finally {
      ledger.close();
    }
    const found = await orch(['find', reference], service.orchEnvironment);
    expect(found.out).toMatch(new RegExp(`card reference ${reference}: token ….{4} at sim-token`));
  });
});
