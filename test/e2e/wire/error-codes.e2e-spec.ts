import { REFUSALS, type RefusalName } from '@app/gateway-protocol';
import { RESULT_CODES, type ResultName } from '@app/kernel';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { OauthMerchant, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { Payer } from '../../support/merchants/payer';
import { OTHER_CONTROL_KEY, sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(30_000);

/** More than one client of these tests sends in a second, and far below the burst that must exceed it. */
const REQUESTS_PER_SECOND = 75;
const BURST = 4 * REQUESTS_PER_SECOND;
/** A busy machine may take more than a second over one burst. */
const BURSTS_MAX = 10;

let service: Service;
let acme: Merchant;
let other: Merchant;

beforeAll(async () => {
  const configuration = sandboxConfiguration({
    acme: { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE },
    endpoints: [
      { id: '1005', currency: 'USD', gates: ['sim-out'] },
      { id: '1006', currency: 'USD', gates: ['sim-cvv'] },
      { id: '1008', currency: 'USD', gates: ['sim-a'], operations: ['status'] },
      { id: '1007', currency: 'USD', gates: ['sim-a'], maxAmount: '50.00', screening: { blockedCountries: ['KP'] } },
    ],
    gates: [
      { alias: 'sim-out', adapter: 'simulator', currencies: ['USD'], simulate: { unavailable: true } },
      { alias: 'sim-cvv', adapter: 'simulator', currencies: ['USD'], cvvRequired: true },
    ],
    whole: { rateLimit: { requestsPerSecond: REQUESTS_PER_SECOND } },
  });
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
}, 60_000);

afterAll(() => service.dispose());

/** Faults of this service; `group-a.edge.spec.ts` tests them over HTTP. */
type OurFault = 'temporarily-unavailable' | 'acceptance-unknown' | 'internal';
interface Provocation {
  readonly provoke: () => Promise<Answer>;
  readonly said?: string;
}

// A new code of the catalogue does not compile until a test here provokes it.
const REFUSED: Readonly<Record<Exclude<RefusalName, OurFault>, Provocation>> = {
  'malformed-field': { provoke: () => acme.sale({ cvv2: undefined }, { at: '1006' }), said: 'cvv2: is required by the gate' },
  'authentication-failed': { provoke: () => acme.sale({ control: '0'.repeat(40) }) },
  'unknown-order': { provoke: () => acme.status({ clientOrderId: 'nobody-s', orderId: 'pabcdefghijklmnr' }) },
  'order-not-final': {
    provoke: async () => acme.createCardRef(await acme.accepted(acme.sale({ cvv2: '321' }, { at: '1003' }))),
  },
  'unknown-card-reference': { provoke: () => acme.rebill('abcdefghijklmnopqrsc') },
  'card-reference-not-usable': {
    provoke: async () => {
      const { clientOrderId, orderId } = await acme.approvedSale();
      const v4 = new OauthMerchant(service, () => service.baseUrl);
      const { fields } = await v4.createCardRef({ client_orderid: clientOrderId, orderid: orderId });
      return acme.rebill(fields['dst-card-ref-id'] ?? '');
    },
  },
  'client-orderid-reused': {
    provoke: async () => {
      const { clientOrderId } = await acme.accepted(acme.sale());
      return acme.sale({ client_orderid: clientOrderId, amount: '10.43' });
    },
  },
  'currency-not-served': { provoke: () => acme.sale({ currency: 'EUR' }) },
  'amount-out-of-range': { provoke: () => acme.sale({ amount: '50.01' }, { at: '1007' }) },
  'operation-not-supported': { provoke: () => acme.sale({}, { at: '1008' }) },
  'operation-not-possible': {
    provoke: async () => acme.post('capture', acme.signedOrder(acme.orderFields(await acme.approvedSale()))),
  },
  'rate-limited': {
    provoke: async () => {
      let limited: Answer | undefined;
      for (let burst = 1; limited === undefined && burst <= BURSTS_MAX; burst++) {
        const answers = await Promise.all(Array.from({ length: BURST }, () => other.status({ clientOrderId: 'nobody-s' })));
        limited = answers.find(({ fields }) => fields['error-code'] === '20');
      }
      if (limited === undefined) throw new Error(`none of ${BURSTS_MAX} times ${BURST} requests was one too many`);
      expect(limited.headers['retry-after']).toBe('1');
      return limited;
    },
  },
};

describe('every refusal of the catalogue over HTTP (interface, section 7.1; decisions, section 4) [W28, W66, W154, W200, W264]', () => {
  it.each(Object.keys(REFUSED) as (keyof typeof REFUSED)[])('%s [W229, W239-245, W258, W261, W262, W313, W461]', async (name) => {
    const { provoke, said } = REFUSED[name];
    const { code, type, message } = REFUSALS[name];
    const { status, fields } = await provoke();
    expect(status).toBe(200);
    const { 'merchant-order-id': clientOrderId, ...rest } = fields;
    expect(rest).toStrictEqual({
      type,
      'serial-number': expect.stringMatching(/^0{8}-/),
      'error-message': said ?? message,
      'error-code': String(code),
    });
    expect(clientOrderId).toMatch(/./);
  });
});

/** Random sums are tested in the device interface, interruptions in the kill points. */
type ToldElsewhere = 'random-sum-not-confirmed' | 'interrupted-before-gate';
const ended = async (fields: Fields, at = '1001') => acme.finalStatus(await acme.accepted(acme.sale(fields, { at })));
const ENDED: Readonly<Record<Exclude<ResultName, ToldElsewhere>, () => Promise<Answer['fields']>>> = {
  'do-not-honour': () => ended({ cvv2: '999' }),
  'expired-card': () => ended({ expire_year: '2020' }),
  'payer-not-authenticated': async () => {
    const order = await acme.accepted(acme.sale({ cvv2: '321' }, { at: '1003' }));
    const { 'redirect-to': page } = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
    await new Payer(service).authenticate(page ?? '', 'guess');
    return acme.finalStatus(order);
  },
  'insufficient-funds': () => ended({ cvv2: '116' }),
  'not-permitted-to-cardholder': () => ended({ cvv2: '119' }),
  'stolen-card': () => ended({ cvv2: '209' }),
  'filtered-by-screening': () => ended({ country: 'KP', state: undefined }, '1007'),
  'no-gate-available': () => ended({}, '1005'),
};

describe('every result code of the catalogue in a status (interface, section 2.5; decisions, section 4) [W46, W155, W189, W215]', () => {
  it.each(Object.keys(ENDED) as (keyof typeof ENDED)[])('%s [W248-251]', async (name) => {
    const { code, status, message } = RESULT_CODES[name];
    expect(await ENDED[name]()).toMatchObject({ status, 'error-code': String(code), 'error-message': message });
  });
});
