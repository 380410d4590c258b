import type { KeyObject } from 'node:crypto';
import type {
  CardBrand,
  Currency,
  GateAlias,
  Instant,
  NonEmpty,
  Weekday,
  EndpointGroupId,
  EndpointId,
  MerchantLogin,
  Secret,
} from '@app/kernel';
import type { GateSettings } from '../gates/gate.schema';
import type { IpRange } from '../reading/scalars';

/** Operations of an entry point (protocol decisions, sections 1 and 8), by their names in the paths. */
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

export const CASCADE_GATES_MAX = 16;

/** Rule name recorded for an order if no rule of its entry point matched. */
export const DEFAULT_RULE = 'default';

/** A rule matches if all its conditions hold. An absent condition always holds; a condition on unknown data never does. */
interface RoutingConditions {
  /** First six digits, or a range of two such numbers joined by a dash, both included. */
  readonly bins?: readonly string[];
  /** Issuer countries, ISO 3166 alpha-3. */
  readonly countries?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly currencies?: readonly Currency[];
  /** Minor units, both ends included. */
  readonly amountFromMinor?: bigint;
  readonly amountToMinor?: bigint;
  /** `hh:mm` in UTC; the end is excluded. If it is not later than the start, the period crosses midnight. */
  readonly from?: string;
  readonly to?: string;
  /** Current day in UTC, also after midnight of a period that crosses it. */
  readonly days?: readonly Weekday[];
}

export type RoutingChoice =
  | { readonly kind: 'cascade'; readonly gates: NonEmpty<GateAlias> }
  /** Draws one gate by weight; the others follow, heaviest first. A sticky draw gives the same result for every order of a customer. */
  | {
      readonly kind: 'split';
      readonly shares: NonEmpty<{ readonly gate: GateAlias; readonly weight: number }>;
      readonly stickyByCustomer: boolean;
    }
  /** Gates in ascending order of commission for the amount; equal ones in the listed order. */
  | { readonly kind: 'least-commission'; readonly gates: NonEmpty<GateAlias> };

export interface RoutingRule {
  readonly name: string;
  readonly when: RoutingConditions;
  readonly choice: RoutingChoice;
}

/** Accepted checksum forms of a recurrent payment (protocol decisions, section 5). */
type RebillControl = 'with-endpoint' | 'without-endpoint' | 'either';

interface CallbackSettings {
  readonly method: 'post-json' | 'post-form' | 'get';
  /** `whsec_` and base64. If set, callbacks carry a `webhook-signature`. */
  readonly secret?: Secret<string>;
  /** Also signs callbacks until `notAfter`, inclusive: UTC in ISO 8601. */
  readonly formerSecret?: { readonly secret: Secret<string>; readonly notAfter: string };
}

export interface Merchant {
  readonly login: MerchantLogin;
  readonly name: string;
  /** Fallback for pages without a better return address. */
  readonly siteUrl?: string;
  readonly controlKey: Secret<string>;
  /** Also verifies until `notAfter`, inclusive: UTC in ISO 8601. It signs nothing. */
  readonly formerControlKey?: { readonly key: Secret<string>; readonly notAfter: string };
  /** RSA, at least 2048 bits: verifies v4 requests. */
  readonly oauthPublicKey?: KeyObject;
  readonly merchantUrl?: string;
  /** `off` if the merchant's server accepts no card mapping notification. */
  readonly cardMapping: 'notify' | 'off';
  readonly callback: CallbackSettings;
  readonly rebillControl: RebillControl;
  readonly showCommissions: boolean;
  /** How long a status request for a new order waits for a change (protocol decisions, section 12). */
  readonly statusWaitMs: number;
  /** The `status` of an order with an unknown outcome (protocol decisions, section 12). */
  readonly unknownStatus: 'processing' | 'unknown';
  readonly endpoints: NonEmpty<Endpoint>;
  readonly groups: readonly EndpointGroup[];
}

const isValidAt = ({ notAfter }: { readonly notAfter: string }, now: Instant): boolean => now <= Date.parse(notAfter);

/** Keys that verify at a moment, the present one first. */
export const controlKeysAt = (
  { controlKey, formerControlKey: former }: Pick<Merchant, 'controlKey' | 'formerControlKey'>,
  now: Instant,
): NonEmpty<Secret<string>> => (former !== undefined && isValidAt(former, now) ? [controlKey, former.key] : [controlKey]);

/** Secrets that sign a callback at a moment, the present one first; empty if the merchant has none. */
export const callbackSecretsAt = ({ secret, formerSecret: former }: CallbackSettings, now: Instant): readonly Secret<string>[] => [
  ...(secret === undefined ? [] : [secret]),
  ...(former !== undefined && isValidAt(former, now) ? [former.secret] : []),
];

interface CountLimit {
  readonly count: number;
  readonly hours: number;
}

export interface Screening {
  readonly minAmountMinor?: bigint;
  readonly maxAmountMinor?: bigint;
  readonly blockedBins: readonly string[];
  readonly blockedCountries: readonly string[];
  readonly blockedIps: readonly IpRange[];
  readonly perCard: CountLimit;
  readonly perIp: CountLimit;
}

export interface Endpoint {
  readonly id: EndpointId;
  readonly merchant: MerchantLogin;
  readonly currency: Currency;
  /** Cascade order; each gate serves the currency. */
  readonly gates: NonEmpty<GateAlias>;
  readonly descriptor?: string;
  /** Larger amounts are refused with code 9. */
  readonly maxAmountMinor: bigint;
  readonly transferRates: 'first-gate' | 'consumer';
  readonly callbackUrl?: string;
  readonly randomSum: 'optional' | 'required';
  /** For Group B. If optional, the e-mail address comes from the app, from the answer to the check, or is missing. */
  readonly consumerEmail: 'required' | 'optional';
  readonly screening?: Screening;
  /** Tried in this order. If no rule matches, `gates` is the cascade. */
  readonly routing?: readonly RoutingRule[];
  readonly operations: 'all' | ReadonlySet<OperationName>;
}

export interface EndpointGroup {
  readonly id: EndpointGroupId;
  readonly merchant: MerchantLogin;
  /** Endpoints of one merchant with different currencies, in file order. The first serves operations without a currency. */
  readonly endpoints: NonEmpty<Endpoint>;
}

export type EntryPoint =
  | { readonly kind: 'endpoint'; readonly id: EndpointId; readonly merchant: MerchantLogin; readonly endpoint: Endpoint }
  | { readonly kind: 'group'; readonly id: EndpointGroupId; readonly merchant: MerchantLogin; readonly endpoints: NonEmpty<Endpoint> };

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

export interface Accounts<Gate extends GateSettings = GateSettings> {
  readonly merchants: NonEmpty<Merchant>;
  readonly logins: readonly MerchantLogin[];
  readonly gates: NonEmpty<Gate>;
  readonly bins: readonly BinData[];
  /** `undefined` for an id of the other kind too, so that nothing is revealed (protocol decisions, section 1). */
  entryPoint(kind: EntryPoint['kind'], id: string): EntryPoint | undefined;
  merchant(login: string): Merchant | undefined;
  /** @throws Error if the alias is unknown. Endpoints were validated, so it comes from an event whose gate was removed. */
  gate(alias: GateAlias): Gate;
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
    logins: merchants.map(({ login }) => login),
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

/** `undefined` is code 8. */
export const endpointFor = (entryPoint: EntryPoint, currency: string): Endpoint | undefined => {
  const candidates = entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints;
  return candidates.find((endpoint) => endpoint.currency === currency);
};

/** The endpoint for account-verification, which has no currency: the first listed (protocol decisions, section 1). */
export const firstEndpointOf = (entryPoint: EntryPoint): Endpoint =>
  entryPoint.kind === 'endpoint' ? entryPoint.endpoint : entryPoint.endpoints[0];

export const servesOperation = (endpoint: Endpoint, operation: OperationName): boolean =>
  endpoint.operations === 'all' || endpoint.operations.has(operation);
