import { DeviceClient, type Cadence, type CardDetails, type DeviceRun, type DeviceSession, type DeviceStatus } from '@app/device-client';
import { WireServer } from '../../fakes/eventstoredb';
import { Secret, type OrderId } from '@app/kernel';
import { MerchantServerClient } from './merchant-server-client';
import { Merchant } from '../merchants/merchant';
import { SANDBOX_CONTROL_KEY, TEST_CARD_NUMBER } from '../merchants/signed-requests';
import { MerchantServer } from './merchant-server';
import { Payer } from '../merchants/payer';
import { sandboxConfiguration, type Parts } from '../processes/sandbox-configuration';
import { Service, storesOfThisRun, type Environment } from '../processes/service';

/** Polls like an app, only faster: no test here measures the interval. */
const QUICK_CADENCE: Cadence = { gapMsMin: 15, gapMsMax: 40, limitMs: 25_000, payerLimitMs: 25_000 };

/** Endpoints of the product `acme`. The currency selects the case; for USD transfers the consumer chooses a fee. */
const ENDPOINT_OF = { plain: '1001', transfer: '1004', secure: '1005', proved: '1006', screened: '1007' } as const;
const CURRENCY_OF = { plain: 'USD', transfer: 'USD', secure: 'EUR', proved: 'GBP', screened: 'CAD' } as const;

export const CARD_NUMBERS = { source: TEST_CARD_NUMBER, destination: '5555555555554444', blocked: '4111111111111111' } as const;

export interface ThreePartiesSettings {
  readonly parts?: Parts;
  readonly environment?: Environment;
}

const endpoints = (merchantUrl: string) => {
  const callbackUrl = `${merchantUrl}/callback`;
  return [
    { id: ENDPOINT_OF.plain, currency: CURRENCY_OF.plain, gates: ['sim-a'], callbackUrl },
    { id: ENDPOINT_OF.transfer, currency: CURRENCY_OF.transfer, gates: ['sim-a', 'sim-b'], transferRates: 'consumer', callbackUrl },
    { id: ENDPOINT_OF.secure, currency: CURRENCY_OF.secure, gates: ['sim-secure'] },
    { id: ENDPOINT_OF.proved, currency: CURRENCY_OF.proved, gates: ['sim-more'], randomSum: 'required' },
    { id: ENDPOINT_OF.screened, currency: CURRENCY_OF.screened, gates: ['sim-more'], screening: { blockedBins: ['411111'] }, callbackUrl },
  ];
};

const GATES = [
  { alias: 'sim-a', adapter: 'simulator', currencies: ['USD', 'EUR'], descriptor: 'test-a' },
  {
    alias: 'sim-b',
    adapter: 'simulator',
    currencies: ['USD'],
    commission: { ratePerTenThousand: 100, minCentis: 200 },
    descriptor: 'test-b',
  },
  { alias: 'sim-3ds', adapter: 'simulator', currencies: ['USD'], threeDSecure: true, descriptor: 'test-3ds' },
  { alias: 'sim-secure', adapter: 'simulator', currencies: ['EUR'], threeDSecure: true, descriptor: 'test-secure' },
  { alias: 'sim-more', adapter: 'simulator', currencies: ['GBP', 'CAD'], descriptor: 'test-more' },
];

export const CALLBACK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const PRODUCT = {
  login: 'acme',
  controlKey: SANDBOX_CONTROL_KEY,
  callback: { secret: CALLBACK_SECRET },
  endpoints: [
    { id: ENDPOINT_OF.plain, currency: CURRENCY_OF.plain },
    { id: ENDPOINT_OF.transfer, currency: CURRENCY_OF.transfer, operations: ['transfer'] },
    { id: ENDPOINT_OF.secure, currency: CURRENCY_OF.secure },
    { id: ENDPOINT_OF.proved, currency: CURRENCY_OF.proved },
    { id: ENDPOINT_OF.screened, currency: CURRENCY_OF.screened },
  ],
  rates: [{ fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 150, minCentis: 30 }],
};

export const cardInHand = (securityCode: string, number: string = CARD_NUMBERS.source): CardDetails => ({
  number: new Secret(number),
  securityCode: new Secret(securityCode),
  expiry: { month: 12, year: 2039 },
  holder: { firstName: 'Kim', lastName: 'Lee' },
});

export interface App {
  readonly client: DeviceClient;
  readonly session: DeviceSession;
  readonly accessToken: string;
  readonly serialNumber: string;
}

/** App, merchant server and gateway (interface, section 1): two processes, and the app in the test's process. */
export class ThreeParties {
  readonly client: MerchantServerClient;
  readonly payer: Payer;
  readonly merchant: Merchant;
  readonly #clients: DeviceClient[] = [];

  private constructor(
    readonly gateway: Service,
    readonly server: MerchantServer,
    private readonly wire: WireServer | undefined,
  ) {
    this.client = new MerchantServerClient(server);
    this.payer = new Payer(gateway);
    this.merchant = new Merchant(gateway);
  }

  static async start({ parts = {}, environment = {} }: ThreePartiesSettings = {}): Promise<ThreeParties> {
    const wire = storesOfThisRun() === 'servers' ? await WireServer.start() : undefined;
    const stores = wire === undefined ? {} : { EVENTSTORE_URL: wire.connectionString };
    const server = await MerchantServer.start({ configuration: { products: [PRODUCT] }, environment: { ...stores, ...environment } });
    const configuration = {
      ...sandboxConfiguration({
        ...parts,
        acme: {
          merchantUrl: server.baseUrl,
          callback: { secret: CALLBACK_SECRET },
          endpoints: [...endpoints(server.baseUrl), ...(parts.endpoints ?? [])],
          groups: [],
          ...parts.acme,
        },
      }),
      gates: [...GATES, ...(parts.gates ?? [])],
    };
    try {
      return new ThreeParties(await Service.start({ configuration, environment }), server, wire);
    } catch (error) {
      await server.dispose();
      await wire?.kill();
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.gateway.dispose();
    await this.server.dispose();
    await this.wire?.kill();
  }

  async app(email = 'kim@example.com', serialNumber = `SN-${ThreeParties.#lastApp++}`): Promise<App> {
    const { gateway, server } = this;
    const settings = { gatewayUrl: gateway.baseUrl, merchantUrl: server.baseUrl, device: { serialNumber }, cadence: QUICK_CADENCE };
    const client = new DeviceClient(settings);
    this.#clients.push(client);
    const accessToken = await this.client.token(email);
    return { client, serialNumber, accessToken, session: client.session(new Secret(accessToken)) };
  }
  static #lastApp = 1;

  /** From the acquirer's ledger, read while the gateway runs. */
  charges(orderId: string): { readonly asked: number; readonly approved: number } {
    const ledger = this.gateway.ledger();
    try {
      const id = orderId as OrderId;
      return { asked: ledger.transactions(id).length, approved: ledger.approvedChargesByOrder().get(id) ?? 0 };
    } finally {
      ledger.close();
    }
  }
}

export const NO_CHARGE = { asked: 0, approved: 0 };

export const finalOf = (run: DeviceRun): DeviceStatus => {
  if (run.step === 'follow' && run.ending.kind === 'final') return run.ending.status;
  throw new Error(`stopped at ${run.step}: ${JSON.stringify(run.ending)}`);
};

export const clientCardIdOf = (run: DeviceRun, use: 'sourceCard' | 'destinationCard' = 'sourceCard'): string => {
  const cards = run.step === 'follow' && run.cards?.kind === 'answered' ? run.cards.value : undefined;
  const clientCardId = cards?.[use]?.reference.clientCardId;
  if (clientCardId === undefined) throw new Error(`no name of a ${use}: ${JSON.stringify(run)}`);
  return clientCardId;
};
