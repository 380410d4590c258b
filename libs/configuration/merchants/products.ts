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
const DEVICE_OPERATION_NAMES = ['verification', 'sale', 'transfer'] as const;
type DeviceOperationName = (typeof DEVICE_OPERATION_NAMES)[number];

/** First path segments of the server itself (interface, section 4.3). No product may use one as its login. */
const FIRST_SEGMENTS: ReadonlySet<string> = new Set([...DEVICE_OPERATION_NAMES, 'auth', 'cardrefs', 'callback', 'health']);

const binPrefixes = () =>
  namesOf(
    shaped('"*", or the first one to six digits of a card, in quotes', (text) => BIN_PREFIX.test(text)),
    { least: 1, most: BINS_MAX },
  );

const productMembers = {
  login: login().refine((text) => !FIRST_SEGMENTS.has(text), 'is a path of the server: choose another login'),
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

export const productSchema = mapping(productMembers);
export const productsSchema = mapping({ products: listOf(productSchema, { least: 1, most: PRODUCTS_MAX }) });
export type ProductEntry = z.output<typeof productSchema>;

interface ProductEndpoint {
  readonly id: EndpointId;
  readonly currency: Currency;
  /** If set, the endpoint serves only these operations and takes precedence over endpoints that serve all. */
  readonly operations: ReadonlySet<DeviceOperationName> | 'all';
}

/** Commission of transfers between cards with these first digits; `*` matches every card. */
interface ProductRate extends CommissionRate {
  readonly fromBins: readonly string[];
  readonly toBins: readonly string[];
}

export interface Product {
  readonly login: MerchantLogin;
  readonly controlKey: Secret<string>;
  /** If set, access token requests must contain it. Production issues no token without it. */
  readonly tokenSecret?: Secret<string>;
  /** `whsec_` and base64, the same as at the gateway. If set, card mapping notifications must be signed with it. */
  readonly callbackSecret?: Secret<string>;
  /** Accepts unsigned notifications in production too; they contain access and session token. */
  readonly unsignedNotifications?: boolean;
  readonly endpoints: NonEmpty<ProductEndpoint>;
  readonly rates: readonly ProductRate[];
}

/** Products of one server. The first is also served without a path prefix (architecture, "Configuration"). */
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

/** Prefers an endpoint that names the operation over one that serves all; the currency must match (protocol decisions, section 8). */
export const productEndpointFor = (product: Product, operation: DeviceOperationName, currency: string): ProductEndpoint | undefined => {
  const candidates = product.endpoints.filter((endpoint) => endpoint.currency === currency);
  const naming = candidates.find(({ operations }) => operations !== 'all' && operations.has(operation));
  return naming ?? candidates.find(({ operations }) => operations === 'all');
};

const fits = (bins: readonly string[], bin: string | undefined): boolean =>
  bin === undefined || bins.some((prefix) => prefix === '*' || bin.startsWith(prefix));

/** Least and greatest commission of a transfer in minor units, over the rows that match both BINs; undefined if none does (protocol decisions, section 8). */
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
