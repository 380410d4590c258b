import { z } from 'zod';
import {
  type EndpointId,
  commissionOf,
  type CommissionRate,
  type Currency,
  type MerchantLogin,
  type NonEmpty,
  type Secret,
} from '@app/kernel';
import { commissionMembers, currency } from '../gates/gate.schema';
import { entryPointId, file, login, secret } from './merchant.schema';
import { flag, listOf, mapping, namesOf, oneOf, shaped } from '../reading/scalars';
import type { Fault } from '../reading/fault';

const BIN_PREFIX = /^(?:\*|\d{1,6})$/;
const PRODUCTS_MAX = 1_000;
const ENDPOINTS_MAX = 1_000;
const RATES_MAX = 10_000;
const BINS_MAX = 10_000;
/** The operations of a device, by their names in the paths (interface, section 4.3). */
const DEVICE_OPERATION_NAMES = ['verification', 'sale', 'transfer'] as const;
type DeviceOperationName = (typeof DEVICE_OPERATION_NAMES)[number];

/** First segments of the server's own paths (interface, section 4.3), which no product may have as its login. */
const FIRST_SEGMENTS: ReadonlySet<string> = new Set([...DEVICE_OPERATION_NAMES, 'auth', 'cardrefs', 'callback', 'health']);

const binPrefixes = () =>
  namesOf(
    shaped('"*", or the one to six digits in quotes that a card begins with', (text) => BIN_PREFIX.test(text)),
    { least: 1, most: BINS_MAX },
  );

const productMembers = {
  login: login().refine((text) => !FIRST_SEGMENTS.has(text), 'is a path of the server, and cannot be a prefix'),
  controlKey: secret().optional(),
  controlKeyFile: file().optional(),
  tokenSecret: secret().optional(),
  tokenSecretFile: file().optional(),
  callback: mapping({ secret: secret().optional(), secretFile: file().optional() }).prefault({}),
  unsignedNotifications: flag().default(false),
  endpoints: listOf(
    mapping({
      id: entryPointId().transform((text) => text as EndpointId),
      currency: currency(),
      operations: namesOf(oneOf(DEVICE_OPERATION_NAMES), { least: 1, most: DEVICE_OPERATION_NAMES.length })
        .transform((names) => new Set(names))
        .optional(),
    }),
    { least: 1, most: ENDPOINTS_MAX },
  ),
  rates: listOf(mapping({ fromBins: binPrefixes(), toBins: binPrefixes(), ...commissionMembers() }), {
    least: 0,
    most: RATES_MAX,
  }).default([]),
};

/** One product at the top level of the file, or a list of them (architecture, "Configuration"). */
export const productSchema = mapping(productMembers);
export const productsSchema = mapping({ products: listOf(productSchema, { least: 1, most: PRODUCTS_MAX }) });
export type ProductEntry = z.output<typeof productSchema>;

/** The merchant server's record of an entry point at the gateway. */
interface ProductEndpoint {
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
