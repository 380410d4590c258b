import type { Configuration } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { configurationOf, CONTROL_KEYS, GATES, type ShopTerms, type Terms } from './installation';
import type { KeyedChance } from './keyed-chance';
import { gateOfSmallAmounts, ROUTINGS, type Routing } from './routings';

export interface ConfigurationRates {
  readonly limited: number;
  readonly routed: number;
  readonly screened: number;
  readonly numericIds: number;
  readonly changes: number;
  readonly rotates: number;
  readonly gateGone: number;
}

export const FIRST_CONFIGURATION: ConfigurationRates = {
  limited: 0,
  routed: 0,
  screened: 0,
  numericIds: 0,
  changes: 0,
  rotates: 0,
  gateGone: 0,
};

const CASCADES = [['gate-a', 'gate-b'], ['gate-b', 'gate-a'], ['gate-a'], ['gate-b']] as const;
const LIMITS = [1, 2, 5] as const;
const KEY_BYTES = 16;

/** A process has the version of the moment at which it started. */
export class Configurations {
  readonly #controlKeys: string[][] = CONTROL_KEYS.map((key) => [key]);
  #terms: Terms;
  #newest: Configuration<ConfiguredGate>;
  #version = 0;
  readonly #isRouted: boolean;

  constructor(
    private readonly chance: KeyedChance,
    private readonly rates: ConfigurationRates,
    /** Divides the gaps between attempts of a callback. */
    callbackSpeed: number,
  ) {
    const shops = CONTROL_KEYS.map((controlKey, at): ShopTerms => ({ controlKey, gates: CASCADES[0], callbackUrl: this.#callbackUrl(at) }));
    this.#isRouted = chance.happens(rates.routed, 'configuration.routed');
    this.#terms = {
      shops,
      gates: GATES,
      requestsPerSecond: chance.happens(rates.limited, 'configuration.limited') ? 2 : 0,
      isSecondShopScreened: chance.happens(rates.screened, 'configuration.screened'),
      routing: this.#isRouted ? this.#routing() : undefined,
      orderIds: chance.happens(rates.numericIds, 'configuration.numeric-ids') ? 'numeric' : 'text',
      callbackSpeed,
    };
    this.#newest = configurationOf(this.#terms);
  }

  get newest(): Configuration<ConfiguredGate> {
    return this.#newest;
  }

  get isSecondShopScreened(): boolean {
    return this.#terms.isSecondShopScreened;
  }

  /** The newest first. During a change some processes still use the previous key. */
  controlKeysOf(at: number): readonly string[] {
    return this.#controlKeys[at] ?? [];
  }

  /** The only gate for the first shop's small amounts. Undefined if no rule names one, or processes have different gates. */
  get gateOfSmallAmounts(): string | undefined {
    return this.#isRouted && this.#version === 0 ? gateOfSmallAmounts(this.#terms.shops[0]?.gates ?? []) : undefined;
  }

  get isGateGone(): boolean {
    return this.#terms.gates.length < GATES.length;
  }

  /** Removing gates from endpoints is allowed. Removing one from the list while its orders are open is a fault. */
  change(): void {
    const { chance, rates } = this;
    const version = String(++this.#version);
    const goes = chance.happens(rates.gateGone, 'configuration.gate-gone', version);
    const gone = goes && !this.isGateGone ? chance.pick(GATES, 'configuration.which-gate', version) : undefined;
    const left = GATES.filter((alias) => alias !== gone);
    const shops = this.#terms.shops.map((shop, at): ShopTerms => {
      const name = `${version} ${at}`;
      if (chance.happens(rates.rotates, 'configuration.rotates', name)) this.#controlKeys[at]?.unshift(this.#keyOf(name));
      const wanted = chance.pick(CASCADES, 'configuration.gates', name).filter((alias) => alias !== gone);
      return {
        gates: wanted.length > 0 ? wanted : left,
        controlKey: this.controlKeysOf(at)[0] ?? shop.controlKey,
        callbackUrl: this.#callbackUrl(at),
      };
    });
    const requestsPerSecond = this.#terms.requestsPerSecond === 0 ? 0 : chance.pick(LIMITS, 'configuration.limit', version);
    this.#terms = { ...this.#terms, shops, gates: left, requestsPerSecond, routing: this.#isRouted ? this.#routing() : undefined };
    this.#newest = configurationOf(this.#terms);
  }

  /** A version with all gates, so that open work of a removed gate continues. */
  restoreGates(): void {
    this.#version += 1;
    this.#terms = { ...this.#terms, gates: GATES };
    this.#newest = configurationOf(this.#terms);
  }

  #routing(): (gates: readonly string[]) => Routing {
    return this.chance.pick(ROUTINGS, 'configuration.routing', String(this.#version));
  }

  #callbackUrl(at: number): string {
    return `https://shop-${at}.example/endpoint/${this.#version}`;
  }

  #keyOf(name: string): string {
    return Buffer.from(this.chance.randomOf(`control key ${name}`).bytes(KEY_BYTES)).toString('hex');
  }
}
