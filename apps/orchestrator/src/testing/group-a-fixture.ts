import { noFailpoints, systemClock, systemScheduler, type Currency, type EndpointId, type OrderId } from '@app/kernel';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { egressPolicyOf } from '@app/http/client';
import { encodeForm, parseFormAnswer, type ControlKey } from '@app/gateway-protocol';
import { configurationFrom } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { OrderStatusView } from '@app/read-models';
import { type FollowUpRefused, type FollowUpAcceptedAnswer, RequestFollowUpHandler } from '@app/orders';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EGRESS_POLICY } from '@app/http/client/egress.module';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, SCHEDULER } from '@app/kernel/injection';
import { CurrentOrderReader } from '@app/read-models/queries';
import { AcceptPaymentHandler } from '@app/payment';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { sampleGates, VirtualClock } from '@app/testing';
import type { ExistingOrders } from '@app/http/group-a';
import { testDigests } from '@app/http/group-a/testing';
import { DecoyKeys } from '@app/http/request';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { GroupAModule } from '../group-a.module';
import { openMerchantPort, type MerchantPort } from './merchant-port';
import { unusedParts } from './unused-parts';

const deadlineClock = new VirtualClock();

const configuration = configurationFrom(
  JSON.stringify({
    merchants: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
        endpoints: [
          { id: '1001', currency: 'EUR', gates: ['sim-a'] },
          { id: '1002', currency: 'USD', gates: ['sim-a'], operations: ['sale', 'status'] },
        ],
        groups: [{ id: '2001', endpoints: ['1001', '1002'] }],
      },
    ],
    gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['EUR', 'USD'] }],
  }),
  { source: 'the test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
);
const { accounts } = configuration;
const [acme] = accounts.merchants;
export const KEY: ControlKey = acme.controlKey;

const PREAUTHORISED = {
  orderId: 'p0preauthorised0r',
  clientOrderId: 'pre-1',
  amountMinor: '1042',
  currency: 'EUR',
  endpointId: '1001',
  requests: [],
} as unknown as OrderStatusView;
export const ORDER_ID = 'p0preauthorisedr' as OrderId;
const ACCEPTED_FOLLOW_UP: FollowUpAcceptedAnswer = {
  reason: 'accepted',
  orderId: ORDER_ID,
  endpointId: '1001' as EndpointId,
  number: 1,
  amount: { minor: 1_042n, currency: 'USD' as Currency },
};

export type Fields = Readonly<Record<string, string | undefined>>;

const orders: ExistingOrders = {
  find: (login, clientOrderId, orderId) =>
    Promise.resolve(login === 'acme' && clientOrderId === 'pre-1' && orderId === ORDER_ID ? PREAUTHORISED : undefined),
  findOfKind: () => Promise.resolve(undefined),
};

class GroupAUnderTest {
  readonly handled: Record<string, unknown>[] = [];
  followUpOutcome: FollowUpAcceptedAnswer | FollowUpRefused = ACCEPTED_FOLLOW_UP;
  #port: MerchantPort | undefined;
  #serials = 0;

  async start(): Promise<void> {
    const given = unusedParts([
      [CONFIGURATION, configuration],
      [ACCOUNTS, accounts],
      [GATES, sampleGates(() => ['charging', 'authorising', 'verifying'])],
      [CARD_VAULT, testDigests],
      [EGRESS_POLICY, egressPolicyOf({ allow: [], ports: new Set(), plainHttp: false }, false)],
      [BOOT_ID, 'boot'],
      [DecoyKeys, new DecoyKeys(accounts)],
      [SerialNumbers, { next: () => `00000000-0000-0000-0000-${(++this.#serials).toString(16).padStart(12, '0')}` }],
      [RequestDeadlines, new RequestDeadlines(deadlineClock, deadlineClock)],
      [REQUEST_EVENT_STORE, new MemoryEventStore(new VirtualClock())],
      [SCHEDULER, systemScheduler],
      [CLOCK, systemClock],
      [FAILPOINTS, noFailpoints],
      [EXCHANGE_LISTENER, { served: () => undefined, failed: () => undefined }],
      [CurrentOrderReader, orders],
      [AcceptPaymentHandler, { handle: this.#accept }],
      [ChargeRegisteredCardHandler, { handle: this.#accept }],
      [RequestFollowUpHandler, { handle: this.#answerFollowUp }],
    ]);
    this.#port = await openMerchantPort(given, { imports: [GroupAModule] });
  }

  reset(): void {
    this.handled.length = 0;
    this.followUpOutcome = ACCEPTED_FOLLOW_UP;
  }

  async close(): Promise<void> {
    await this.#port?.close();
  }

  readonly post = async (path: string, fields: Fields, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${this.#port?.url}/api/v2/${path.replace('/endpoint/', '/')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: encodeForm(Object.entries(fields)),
    });
    return Object.fromEntries(parseFormAnswer(await response.text()));
  };

  readonly #accept = (request: object) => {
    this.handled.push(request as Record<string, unknown>);
    return Promise.resolve({ reason: 'accepted' as const, orderId: ORDER_ID, endpointId: '1001' as EndpointId });
  };

  readonly #answerFollowUp = (request: object) => {
    this.handled.push(request as Record<string, unknown>);
    return Promise.resolve(this.followUpOutcome);
  };
}

export const groupAUnderTest = (): GroupAUnderTest => {
  const groupA = new GroupAUnderTest();
  beforeAll(() => groupA.start());
  beforeEach(() => groupA.reset());
  afterAll(() => groupA.close());
  return groupA;
};

export const INITIAL = {
  client_orderid: 'o-1',
  order_desc: 'shoes',
  card_printed_name: 'JOHN SMITH',
  credit_card_number: '4444333322221111',
  expire_month: '12',
  expire_year: '2039',
  cvv2: '123',
  address1: '1 Main Street',
  city: 'Springfield',
  zip_code: '12345',
  country: 'US',
  state: 'CA',
  email: 'john@shop.example',
  ipaddress: '203.0.113.7',
};
export const PAID = { ...INITIAL, phone: '+1', amount: '10.42', currency: 'EUR' };
export const signedNames = { clientOrderId: 'o-1', email: INITIAL.email };

export const REBILL = {
  login: 'acme',
  client_orderid: 'r-1',
  cardrefid: 'csample0reference00c',
  order_desc: 'March',
  amount: '10.42',
  currency: 'EUR',
  ipaddress: '203.0.113.7',
};
export const SIGNED_REBILL = {
  entryPoint: '1001',
  login: 'acme',
  clientOrderId: 'r-1',
  cardRefId: REBILL.cardrefid,
  amountMinor: 1_042n,
  currency: 'EUR',
};
