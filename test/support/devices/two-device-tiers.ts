import type { DeviceOrder, DeviceStatus, Transaction } from '@app/device-client';
import type { LedgerReader } from '@app/gateway-adapters/simulator';
import type { TransferFee } from '@app/gateway-protocol';
import { EMAIL } from './device-orders';
import { ThreeParties, type App } from './three-parties';
import { SANDBOX_CONTROL_KEY } from '../merchants/signed-requests';
import { CODES_OF_OURS, FOURTH_CONTROL_KEY, OTHER_CONTROL_KEY, type Parts } from '../processes/sandbox-configuration';
import { Service } from '../processes/service';
import { until } from '../until';

const SETTLED_MS = 90_000;

/** Our merchants at the upstream gateway. Each has one address there: the gate that places orders under its name. */
const MERCHANTS = [
  { login: 'plain', controlKey: SANDBOX_CONTROL_KEY, gate: 'upstream-a', currency: 'USD', endpoint: '1001', rates: {} },
  { login: 'euro', controlKey: FOURTH_CONTROL_KEY, gate: 'upstream-e', currency: 'EUR', endpoint: '5001', rates: {} },
  {
    login: 'choice',
    controlKey: OTHER_CONTROL_KEY,
    gate: 'upstream-t',
    currency: 'USD',
    endpoint: '9001',
    rates: { transferRates: 'consumer' },
  },
] as const;

const upstreamConfiguration = (serviceUrl: string): object => ({
  egress: { allow: ['127.0.0.1'] },
  merchants: MERCHANTS.map(({ login, controlKey, gate, currency, endpoint: id, rates }) => ({
    login,
    controlKey,
    showCommissions: true,
    merchantUrl: `${serviceUrl}/paynet/gates/${gate}`,
    endpoints: [{ id, currency, gates: login === 'choice' ? ['sim-a', 'sim-b'] : ['sim-a'], ...rates }],
  })),
  gates: [
    { alias: 'sim-a', adapter: 'simulator', currencies: ['USD', 'EUR'], descriptor: 'test-a' },
    {
      alias: 'sim-b',
      adapter: 'simulator',
      currencies: ['USD'],
      commission: { ratePerTenThousand: 100, minCentis: 200 },
      descriptor: 'test-b',
    },
  ],
});

const gatesTo = (upstreamUrl: string): NonNullable<Parts['gates']> =>
  MERCHANTS.map(({ login, controlKey, gate: alias, currency, endpoint }) => ({
    alias,
    adapter: 'paynet',
    codes: CODES_OF_OURS,
    currencies: [currency],
    descriptor: 'test-upstream',
    longestFlightSeconds: 1,
    controlKey,
    pollSeconds: 0.1,
    upstream: { baseUrl: `${upstreamUrl}/paynet`, plainHttp: true, login, endpoint, device: { endpoint, inGroupA: true } },
  }));

/** An app, a product's server, this service, the adapter, a second instance of this service, and the simulator. */
export class TwoDeviceTiers {
  private constructor(
    readonly parties: ThreeParties,
    readonly upstream: Service,
    readonly app: App,
  ) {}

  static async start(): Promise<TwoDeviceTiers> {
    const upstream = await Service.start({ configuration: upstreamConfiguration('http://127.0.0.1:1'), stores: 'files' });
    const endpoints = [
      { id: '1001', currency: 'USD', gates: ['upstream-a'] },
      { id: '1004', currency: 'USD', gates: ['upstream-t'], transferRates: 'consumer' },
      { id: '1005', currency: 'EUR', gates: ['upstream-e'] },
    ];
    try {
      const parties = await ThreeParties.start({ parts: { acme: { endpoints }, gates: gatesTo(upstream.baseUrl) } });
      await upstream.kill();
      await upstream.restart({}, upstreamConfiguration(parties.gateway.baseUrl));
      return new TwoDeviceTiers(parties, upstream, await parties.app(EMAIL));
    } catch (error) {
      await upstream.dispose();
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await this.parties.dispose();
    await this.upstream.dispose();
  }

  async chargedBy(act: () => Promise<unknown>): Promise<readonly number[]> {
    const charged = (): readonly number[] => this.#read((ledger) => [...ledger.approvedChargesByOrder().values()]);
    const before = charged().length;
    await act();
    return charged().slice(before);
  }

  async performed(order: DeviceOrder): Promise<Transaction> {
    const invoice = await this.app.session.initiate(order);
    if (invoice.kind !== 'answered') throw new Error(`initiate: ${JSON.stringify(invoice)}`);
    const transaction = await this.app.session.perform(order, invoice.value);
    if (transaction.kind !== 'answered') throw new Error(`perform: ${JSON.stringify(transaction)}`);
    return transaction.value;
  }

  async performedUpstream(order: DeviceOrder): Promise<Transaction> {
    const taken = (): number => this.#read((ledger) => ledger.transactions().length);
    const before = taken();
    const transaction = await this.performed(order);
    await until(() => Promise.resolve(taken() > before), { what: 'the upstream gateway asked its gate', timeoutMs: 30_000 });
    return transaction;
  }

  statusWhen(transaction: Transaction, ...states: readonly string[]): Promise<DeviceStatus | string> {
    let seen: unknown;
    return until(
      async () => {
        const status = await this.app.session.status(transaction);
        seen = status;
        if (status.kind === 'refused') return states.includes(status.cause) && status.cause;
        return status.kind === 'answered' && states.includes(status.value.state) && status.value;
      },
      { what: `state ${states.join(' or ')}`, timeoutMs: SETTLED_MS, seen: () => seen },
    );
  }

  #read<Found>(find: (ledger: LedgerReader) => Found): Found {
    const ledger = this.upstream.ledger();
    try {
      return find(ledger);
    } finally {
      ledger.close();
    }
  }
}

export const cheapest = (fees: readonly TransferFee[]): TransferFee | undefined =>
  [...fees].sort((one, other) => one.commissionCentis - other.commissionCentis)[0];
