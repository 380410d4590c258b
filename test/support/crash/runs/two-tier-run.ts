import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@app/kernel';
import { seededRandom } from '@app/testing';
import { Merchant, type Accepted } from '../../merchants/merchant';
import { SANDBOX_CONTROL_KEY, type Fields } from '../../merchants/signed-requests';
import { CODES_OF_OURS, sandboxConfiguration } from '../../processes/sandbox-configuration';
import { Service } from '../../processes/service';
import { until } from '../../until';
import { integrityFaults } from '../findings/sqlite-files';
import { twoTierFaults } from '../findings/two-tier-faults';

const PRODUCTS = 4;
const LOAD_MS_MAX = 400;
/** If an inquiry reached a dead tier, the schedule repeats it within a minute while the order is young. */
const FINAL_TIMEOUT_MS = 180_000;
const RESEND_TIMEOUT_MS = 30_000;
const FLIGHT_SECONDS = 1;
const AT = '1005';

/** Each outcome that the upstream gateway's own gate knows (protocol decisions, section 9). */
const KINDS: readonly Fields[] = [{ cvv2: '123' }, { cvv2: '116' }, { cvv2: '217' }, { cvv2: '218' }, { cvv2: '123', amount: '99.17' }];

interface ProductOrder {
  readonly fields: Fields;
  accepted?: Accepted;
}

export class TwoTierWorld {
  readonly orders: ProductOrder[] = [];
  readonly #random: Random;
  readonly #merchant: Merchant;
  #isLoading = true;

  private constructor(
    readonly service: Service,
    readonly upstream: Service,
    private readonly seed: number,
  ) {
    this.#random = seededRandom(seed);
    this.#merchant = new Merchant(service, { at: AT });
  }

  static async start(seed: number): Promise<TwoTierWorld> {
    const quick = { alias: 'sim-quick', adapter: 'simulator', currencies: ['USD'], longestFlightSeconds: FLIGHT_SECONDS };
    const behind = { endpoints: [{ id: '1001', currency: 'USD', gates: [quick.alias] }], groups: [] };
    const upstream = await Service.start({ configuration: sandboxConfiguration({ acme: behind, gates: [quick] }), stores: 'files' });
    const gate = {
      alias: 'upstream-a',
      adapter: 'paynet',
      codes: CODES_OF_OURS,
      currencies: ['USD'],
      longestFlightSeconds: FLIGHT_SECONDS,
      controlKey: SANDBOX_CONTROL_KEY,
      pollSeconds: 0.1,
      // The breaker must stay closed: every order goes upstream, even while it is away.
      circuit: { enabled: false },
      upstream: { baseUrl: `${upstream.baseUrl}/paynet`, plainHttp: true, login: 'acme', endpoint: '1001' },
    };
    try {
      const endpoints = [{ id: AT, currency: 'USD', gates: [gate.alias] }];
      const service = await Service.start({ configuration: sandboxConfiguration({ gates: [gate], endpoints }), stores: 'files' });
      return new TwoTierWorld(service, upstream, seed);
    } catch (error) {
      await upstream.dispose();
      throw error;
    }
  }

  async killInTurn(kills: number): Promise<readonly string[]> {
    const faults: string[] = [];
    const products = Array.from({ length: PRODUCTS }, (_, product) => this.#produce(product));
    const producing = Promise.all(products);
    producing.catch(() => undefined);
    for (let kill = 0; kill < kills; kill++) {
      const tier = kill % 2 === 0 ? this.upstream : this.service;
      await pause(this.#chance(LOAD_MS_MAX));
      await tier.kill();
      const name = tier === this.upstream ? 'the upstream gateway' : 'the service';
      faults.push(...(await integrityFaults(tier.dataDir)).map((fault) => `kill ${kill + 1}, of ${name}: ${fault}`));
      await tier.restart();
    }
    await pause(this.#chance(LOAD_MS_MAX));
    this.#isLoading = false;
    await producing;
    return faults;
  }

  async converge(): Promise<void> {
    for (const { accepted } of this.orders) if (accepted !== undefined) await this.#merchant.finalStatus(accepted, FINAL_TIMEOUT_MS);
  }

  async faults(): Promise<readonly string[]> {
    await this.service.stop();
    await this.upstream.stop();
    const ledger = this.upstream.ledger();
    try {
      const accepted = this.orders.flatMap((order) => order.accepted ?? []);
      return await twoTierFaults({ accepted, hereDir: this.service.dataDir, thereDir: this.upstream.dataDir, ledger });
    } finally {
      ledger.close();
    }
  }

  async dispose(): Promise<void> {
    await this.service.dispose();
    await this.upstream.dispose();
  }

  async #produce(product: number): Promise<void> {
    for (let number = 0; this.#isLoading; number++) {
      const kind = KINDS[this.#chance(KINDS.length) - 1] ?? {};
      const order: ProductOrder = { fields: { client_orderid: `kill-${this.seed}-${product}-${number}`, ...kind } };
      this.orders.push(order);
      order.accepted = await this.#untilAccepted(order);
    }
  }

  #untilAccepted({ fields }: ProductOrder): Promise<Accepted> {
    let seen: unknown;
    return until(
      async () => {
        try {
          return await this.#merchant.accepted(this.#merchant.sale(fields));
        } catch (error) {
          seen = error instanceof Error ? error.message : error;
          return undefined;
        }
      },
      { what: `an answer to ${fields['client_orderid']}`, timeoutMs: RESEND_TIMEOUT_MS, seen: () => seen },
    );
  }

  #chance(max: number): number {
    return 1 + Math.floor(this.#random.fraction() * max);
  }
}
