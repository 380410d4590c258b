import { isSameSetting, type Configuration } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { configurationOf, CONTROL_KEYS, GATES, SCREENED_CARD_COUNTS, type ShopTerms, type Terms } from './installation';
import type { KeyedChance } from './keyed-chance';
import { gateOfSmallAmounts, ROUTINGS, type Routing } from './routings';

export interface ConfigurationRates {
  readonly limited: number;
  readonly routed: number;
  readonly screened: number;
  readonly numericIds: number;
  readonly approvals: number;
  readonly changes: number;
  /** Share of the changes that the running processes take, without a restart. */
  readonly applied: number;
  /** Share of those for which the file of an instance stays the former one for a while. */
  readonly lags: number;
  readonly rotates: number;
  readonly gateGone: number;
}

export const FIRST_CONFIGURATION: ConfigurationRates = {
  limited: 0,
  routed: 0,
  screened: 0,
  numericIds: 0,
  approvals: 0,
  changes: 0,
  applied: 0,
  lags: 0,
  rotates: 0,
  gateGone: 0,
};

const CASCADES = [['gate-a', 'gate-b'], ['gate-b', 'gate-a'], ['gate-a'], ['gate-b']] as const;
const LIMITS = [1, 2, 5] as const;
const KEY_BYTES = 16;

/** A process has the version of the moment at which it started, or a later one that was applied while it ran. */
export class Configurations {
  readonly #controlKeys: string[][] = CONTROL_KEYS.map((key) => [key]);
  #terms: Terms;
  #newest: Configuration<ConfiguredGate>;
  #lagging: { readonly instance: string; readonly file: Configuration<ConfiguredGate> } | undefined;
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
      screenedCardCount: SCREENED_CARD_COUNTS[0],
      gateDescriptor: '0',
      routing: this.#isRouted ? this.#routing() : undefined,
      orderIds: chance.happens(rates.numericIds, 'configuration.numeric-ids') ? 'numeric' : 'text',
      callbackSpeed,
      hasApprovals: chance.happens(rates.approvals, 'configuration.approvals'),
    };
    this.#newest = configurationOf(this.#terms);
  }

  isNewest(configuration: Configuration<ConfiguredGate>): boolean {
    return configuration === this.#newest || isSameSetting(configuration, this.#newest);
  }

  get hasApprovals(): boolean {
    return this.#terms.hasApprovals;
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

  /** True while the file of an instance is the former one. */
  get isLagging(): boolean {
    return this.#lagging !== undefined;
  }

  /** The configuration file of an instance at this moment. */
  fileOf(instance: string): Configuration<ConfiguredGate> {
    return this.#lagging?.instance === instance ? this.#lagging.file : this.#newest;
  }

  /**
   * Changes only what a running process can take.
   * @returns tells the instance whose file stays the former one; undefined if none does
   */
  changeWhileRunning(instances: readonly string[]): (() => void) | undefined {
    const { chance, rates } = this;
    const former = this.#newest;
    this.#change(String(++this.#version), true);
    if (!chance.happens(rates.lags, 'configuration.lags', String(this.#version))) return undefined;
    const lagging = { instance: chance.pick(instances, 'configuration.lagging', String(this.#version)), file: former };
    this.#lagging = lagging;
    return () => {
      if (this.#lagging === lagging) this.#lagging = undefined;
    };
  }

  /** Removing gates from endpoints is allowed. Removing one from the list while its orders are open is a fault. */
  change(): void {
    this.#change(String(++this.#version), false);
  }

  #change(version: string, isWhileRunning: boolean): void {
    const { chance, rates } = this;
    this.#lagging = undefined;
    const goes = !isWhileRunning && chance.happens(rates.gateGone, 'configuration.gate-gone', version);
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
    const { requestsPerSecond } = this.#terms;
    this.#terms = {
      ...this.#terms,
      shops,
      gates: left,
      requestsPerSecond: requestsPerSecond === 0 ? 0 : chance.pick(LIMITS, 'configuration.limit', version),
      screenedCardCount: chance.pick(SCREENED_CARD_COUNTS, 'configuration.screened-count', version),
      gateDescriptor: version,
      routing: this.#isRouted ? this.#routing() : undefined,
    };
    this.#newest = configurationOf(this.#terms);
  }

  /** A version with all gates, so that open work of a removed gate continues. */
  restoreGates(): void {
    this.#version += 1;
    this.#lagging = undefined;
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
