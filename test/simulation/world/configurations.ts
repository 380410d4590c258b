import type { Configuration } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { configurationOf, CONTROL_KEYS, GATES, type ShopTerms, type Terms } from './installation';
import type { KeyedChance } from './keyed-chance';
import { gateOfSmallAmounts, ROUTINGS, type Routing } from './routings';

/** How worlds are configured: shares of worlds, but for the changes. */
export interface ConfigurationRates {
  /** A merchant may send few requests a second. */
  readonly limited: number;
  /** The entry point of the first shop has rules of routing, others after each change. */
  readonly routed: number;
  /** The second shop has screening. */
  readonly screened: number;
  /** Orders have numeric ids. */
  readonly numericIds: number;
  /** Of the moments at which the configuration may change while it storms: at how many it does. */
  readonly changes: number;
  /** Of these changes: how many bring a shop another control key. */
  readonly rotates: number;
  /** Of these changes: how many take a gate out altogether, until the next change or the end of the storm. */
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

/** The versions of the configuration, of which a process has the one of the moment at which it started. */
export class Configurations {
  /** Of each shop every control key that it had, the newest first. */
  readonly #controlKeys: string[][] = CONTROL_KEYS.map((key) => [key]);
  #terms: Terms;
  #newest: Configuration<ConfiguredGate>;
  #version = 0;
  readonly #isRouted: boolean;

  constructor(
    private readonly chance: KeyedChance,
    private readonly rates: ConfigurationRates,
    /** Divides the gaps between the tries of a callback. */
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

  /** Whether the second shop has screening, which no change takes away. */
  get isSecondShopScreened(): boolean {
    return this.#terms.isSecondShopScreened;
  }

  /** Of the shop at this place, the newest first: while some processes have the one before, both are in use. */
  controlKeysOf(at: number): readonly string[] {
    return this.#controlKeys[at] ?? [];
  }

  /** The gate to which the first shop's small amounts go, and to no other; undefined where no rule says so, or other processes know other gates. */
  get gateOfSmallAmounts(): string | undefined {
    return this.#isRouted && this.#version === 0 ? gateOfSmallAmounts(this.#terms.shops[0]?.gates ?? []) : undefined;
  }

  get isGateGone(): boolean {
    return this.#terms.gates.length < GATES.length;
  }

  /** The next version. Gates leave endpoints; that one is gone from the list too, while orders of it are under way, is a fault. */
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

  /** A version with all gates: what was under way at one that was gone goes on. */
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
