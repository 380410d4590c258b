import type { KeyObject } from 'node:crypto';
import type { CardBrand, Currency, GateAlias, NonEmpty, Weekday, EndpointGroupId, EndpointId, MerchantLogin, Secret } from '@app/kernel';
import type { GateSettings } from '../gates/gate.schema';
import type { IpRange } from '../reading/scalars';

/** The operations that an entry point can serve (protocol decisions, sections 1 and 8), by their names in the paths. */
export const OPERATION_NAMES = [
  'sale',
  'preauth',
  'account-verification',
  'capture',
  'return',
  'void',
  'create-card-ref',
  'get-card-info',
  'make-rebill-sale',
  'make-rebill-preauth',
  'status',
  'verification',
  'transfer',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

/** The gates that one order may try, at most. */
export const CASCADE_GATES_MAX = 16;

/** The name under which an order is told whose entry point has no rule that held. */
export const DEFAULT_RULE = 'default';

/** A rule holds where all of its conditions do; one that is absent holds always, one about something that is not known never does. */
interface RoutingConditions {
  /** First six digits, or two of them and a dash for a range with both ends. */
  readonly bins?: readonly string[];
  /** The issuer's, ISO 3166 alpha-3. */
  readonly countries?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly currencies?: readonly Currency[];
  /** Minor units, both ends included. */
  readonly amountFromMinor?: bigint;
  readonly amountToMinor?: bigint;
  /** `hh:mm` in UTC; the second is excluded. Where it is not later than the first, the time goes on over midnight. */
  readonly from?: string;
  readonly to?: string;
  /** The day of the moment itself, in UTC, also where the time goes on over midnight. */
  readonly days?: readonly Weekday[];
}

/** Which gates of the entry point an order tries, and in which order. */
export type RoutingChoice =
  | { readonly kind: 'cascade'; readonly gates: NonEmpty<GateAlias> }
  /** One gate is drawn by weight; the others follow, the heavier first. A sticky draw is the same for every order of a customer. */
  | {
      readonly kind: 'split';
      readonly shares: NonEmpty<{ readonly gate: GateAlias; readonly weight: number }>;
      readonly stickyByCustomer: boolean;
    }
  /** The gate with the least commission for the amount goes first; of two that are equal, the one that is listed first. */
  | { readonly kind: 'least-commission'; readonly gates: NonEmpty<GateAlias> };

/** A named rule of an entry point's routing. */
export interface RoutingRule {
  readonly name: string;
  readonly when: RoutingConditions;
  readonly choice: RoutingChoice;
}

/** Which of the two published forms a recurrent payment's checksum may have (protocol decisions, section 5). */
type RebillControl = 'with-endpoint' | 'without-endpoint' | 'either';

interface CallbackSettings {
  readonly method: 'post-json' | 'post-form' | 'get';
  /** `whsec_` and base64; where it is set, callbacks carry a `webhook-signature`. */
  readonly secret?: Secret<string>;
}

/** A tenant: everything that it owns is found by its login alone. */
export interface Merchant {
  readonly login: MerchantLogin;
  /** The name that payers see on pages and receipts. */
  readonly name: string;
  /** The shop's address, for pages without a better return address. */
  readonly siteUrl?: string;
  /** The merchant's own spelling, dashes included: checksums are made of that text. */
  readonly controlKey: Secret<string>;
  /** RSA, at least 2048 bits: verifies v4 requests. */
  readonly oauthPublicKey?: KeyObject;
  /** The address of its own server for Group B, without a trailing slash. */
  readonly merchantUrl?: string;
  /** `off` where that server accepts no card mapping notification. */
  readonly cardMapping: 'notify' | 'off';
  readonly callback: CallbackSettings;
  readonly rebillControl: RebillControl;
  readonly showCommissions: boolean;
  /** How long a status request of a new order waits for the order's next change (protocol decisions, section 12). */
  readonly statusWaitMs: number;
  /** The `status` of an order whose outcome is unknown (protocol decisions, section 12). */
  readonly unknownStatus: 'processing' | 'unknown';
  readonly endpoints: NonEmpty<Endpoint>;
  readonly groups: readonly EndpointGroup[];
}

/** At most `count` operations in `hours`; a count of 0 is no limit. */
interface CountLimit {
  readonly count: number;
  readonly hours: number;
}

/** The operator's limits, which end in `filtered`. */
export interface Screening {
  readonly minAmountMinor?: bigint;
  readonly maxAmountMinor?: bigint;
  readonly blockedBins: readonly string[];
  readonly blockedCountries: readonly string[];
  readonly blockedIps: readonly IpRange[];
  readonly perCard: CountLimit;
  readonly perIp: CountLimit;
}

/** An entry point of a single-currency integration (interface, section 2.1). */
export interface Endpoint {
  readonly id: EndpointId;
  readonly merchant: MerchantLogin;
  readonly currency: Currency;
  /** In the order of a cascade; each serves the currency. */
  readonly gates: NonEmpty<GateAlias>;
  /** The descriptor on the payer's statement; the gate's own where it is absent. */
  readonly descriptor?: string;
  /** A larger amount is refused with code 9. */
  readonly maxAmountMinor: bigint;
  readonly transferRates: 'first-gate' | 'consumer';
  readonly callbackUrl?: string;
  readonly randomSum: 'optional' | 'required';
  /** For Group B: where it is optional, an order may have an e-mail address from the app or from the answer to the check, or none. */
  readonly consumerEmail: 'required' | 'optional';
  readonly screening?: Screening;
  /** In the order in which they are tried; where none holds, and where there are none, `gates` is the cascade. */
  readonly routing?: readonly RoutingRule[];
  readonly operations: 'all' | ReadonlySet<OperationName>;
}

/** An entry point of a multi-currency integration: the currency chooses one of its endpoints. */
export interface EndpointGroup {
  readonly id: EndpointGroupId;
  readonly merchant: MerchantLogin;
  /** Endpoints of one merchant with different currencies, in the order of the file: the first serves operations without a currency. */
  readonly endpoints: NonEmpty<Endpoint>;
}

export type EntryPoint =
  | { readonly kind: 'endpoint'; readonly id: EndpointId; readonly merchant: MerchantLogin; readonly endpoint: Endpoint }
  | { readonly kind: 'group'; readonly id: EndpointGroupId; readonly merchant: MerchantLogin; readonly endpoints: NonEmpty<Endpoint> };

/** Facts of a card's issuer, by the card's first six digits. */
export interface BinData {
  readonly bin: string;
  readonly cardType?: string;
  /** ISO 3166 alpha-3. */
  readonly country?: string;
  readonly bank?: string;
  readonly productCode?: string;
  readonly productName?: string;
  readonly typeCode?: string;
  readonly typeName?: string;
}

/** Merchants, their entry points and the gates; the cost of a look-up does not depend on their number. */
export interface Accounts<Gate extends GateSettings = GateSettings> {
  readonly merchants: NonEmpty<Merchant>;
  readonly gates: NonEmpty<Gate>;
  readonly bins: readonly BinData[];
  /** `undefined` for an id of the other kind too, so that nothing is revealed (protocol decisions, section 1). */
  entryPoint(kind: EntryPoint['kind'], id: string): EntryPoint | undefined;
  merchant(login: string): Merchant | undefined;
  /** @throws Error where no gate has the alias: endpoints were checked, so that the alias is from an event whose gate was removed. */
  gate(alias: GateAlias): Gate;
  /** Finds the issuer by the first six digits. */
  binOf(bin: string): BinData | undefined;
}

export const accountsOf = <Gate extends GateSettings>(
  merchants: NonEmpty<Merchant>,
  gates: NonEmpty<Gate>,
  bins: readonly BinData[],
): Accounts<Gate> => {
  const byLogin = new Map<string, Merchant>(merchants.map((merchant) => [merchant.login, merchant]));
  const byAlias = new Map<string, Gate>(gates.map((gate) => [gate.alias, gate]));
  const byBin = new Map<string, BinData>(bins.map((entry) => [entry.bin, entry]));
  const endpoints = merchants.flatMap((merchant) => merchant.endpoints);
  const groups = merchants.flatMap((merchant) => merchant.groups);
  const byId = new Map<string, EntryPoint>([
    ...endpoints.map((endpoint): [string, EntryPoint] => [
      endpoint.id,
      Object.freeze({ kind: 'endpoint', id: endpoint.id, merchant: endpoint.merchant, endpoint }),
    ]),
    ...groups.map((group): [string, EntryPoint] => [group.id, Object.freeze({ kind: 'group', ...group })]),
  ]);
  return Object.freeze<Accounts<Gate>>({
    merchants,
    gates,
    bins,
    entryPoint: (kind, id) => {
      const found = byId.get(id);
      return found?.kind === kind ? found : undefined;
    },
    merchant: (login) => byLogin.get(login),
    gate: (alias) => {
      const gate = byAlias.get(alias);
      if (gate === undefined) throw new Error(`no gate ${alias} in the configuration`);
      return gate;
    },
    binOf: (bin) => byBin.get(bin),
  });
};

/** The endpoint that serves this currency; `undefined` is code 8. A group has few endpoints, one a currency. */
export const endpointFor = (entryPoint: EntryPoint, currency: string): Endpoint | undefined => {
  const candidates = entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints;
  return candidates.find((endpoint) => endpoint.currency === currency);
};

/** The endpoint of an operation that has no currency (account-verification): the first listed (protocol decisions, section 1). */
export const firstEndpointOf = (entryPoint: EntryPoint): Endpoint =>
  entryPoint.kind === 'endpoint' ? entryPoint.endpoint : entryPoint.endpoints[0];

export const servesOperation = (endpoint: Endpoint, operation: OperationName): boolean =>
  endpoint.operations === 'all' || endpoint.operations.has(operation);
