import type { Fault } from '../reading/fault';
import {
  commissionOf,
  type CommissionRate,
  type Currency,
  type EndpointId,
  type MerchantLogin,
  type NonEmpty,
  type Secret,
} from '@app/kernel';

/** The operations of a device, by their names in the paths (interface, section 4.3). */
export const DEVICE_OPERATION_NAMES = ['verification', 'sale', 'transfer'] as const;
export type DeviceOperationName = (typeof DEVICE_OPERATION_NAMES)[number];

/** The merchant server's record of an entry point at the gateway. */
export interface ProductEndpoint {
  readonly id: EndpointId;
  readonly currency: Currency;
  /** An endpoint with operations serves these alone, before any other endpoint; one without serves all. */
  readonly operations: ReadonlySet<DeviceOperationName> | 'all';
}

/** A commission for transfers between cards with these first digits; `*` is every card. */
interface ProductRate extends CommissionRate {
  readonly fromBins: readonly string[];
  readonly toBins: readonly string[];
}

/** A merchant's product that this server serves. */
export interface Product {
  readonly login: MerchantLogin;
  readonly controlKey: Secret<string>;
  /** A request for an access token must have it, where it is set; in production no token is issued without it. */
  readonly tokenSecret?: Secret<string>;
  /** `whsec_` and base64, the same as at the gateway: where it is set, a card mapping notification must be signed with it. */
  readonly callbackSecret?: Secret<string>;
  /** Accepts unsigned notifications in production too, since they contain access and session token. */
  readonly unsignedNotifications?: boolean;
  readonly endpoints: NonEmpty<ProductEndpoint>;
  readonly rates: readonly ProductRate[];
}

/** The products of one server; the first answers without a path prefix too (architecture, "Configuration"). */
export interface Products {
  readonly all: NonEmpty<Product>;
  product(login: string): Product | undefined;
  /** Settings that would be faults in production. */
  readonly warnings: readonly Fault[];
}

export const productsOf = (all: NonEmpty<Product>, warnings: readonly Fault[] = []): Products => {
  const byLogin = new Map<string, Product>(all.map((product) => [product.login, product]));
  return Object.freeze<Products>({ all, product: (login) => byLogin.get(login), warnings });
};

/** Chooses among the endpoints with the currency the one that names the operation, else one that serves all (protocol decisions, section 8). */
export const productEndpointFor = (product: Product, operation: DeviceOperationName, currency: string): ProductEndpoint | undefined => {
  const candidates = product.endpoints.filter((endpoint) => endpoint.currency === currency);
  const naming = candidates.find(({ operations }) => operations !== 'all' && operations.has(operation));
  return naming ?? candidates.find(({ operations }) => operations === 'all');
};

const fits = (bins: readonly string[], bin: string | undefined): boolean =>
  bin === undefined || bins.some((prefix) => prefix === '*' || bin.startsWith(prefix));

/** Least and greatest commission of a transfer, minor units, over the rows that both BINs fit; undefined where no row does (protocol decisions, section 8). */
export const commissionRange = (
  { rates }: Product,
  amountMinor: bigint,
  { fromBin, toBin }: { readonly fromBin?: string | undefined; readonly toBin?: string | undefined },
): { readonly min: bigint; readonly max: bigint } | undefined => {
  const rows = rates.filter((rate) => fits(rate.fromBins, fromBin) && fits(rate.toBins, toBin));
  const [first, ...rest] = rows.map((rate) => commissionOf(amountMinor, rate));
  if (first === undefined) return undefined;
  return rest.reduce(({ min, max }, one) => ({ min: one < min ? one : min, max: one > max ? one : max }), { min: first, max: first });
};
