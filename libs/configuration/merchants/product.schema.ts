import type { EndpointId } from '@app/kernel';
import { z } from 'zod';
import { commissionMembers, currency } from '../gates/gate.schema';
import { entryPointId, file, login, secret } from './merchant.schema';
import { DEVICE_OPERATION_NAMES } from './products';
import { flag, listOf, mapping, namesOf, oneOf, shaped } from '../reading/scalars';

const BIN_PREFIX = /^(?:\*|\d{1,6})$/;
const PRODUCTS_MAX = 1_000;
const ENDPOINTS_MAX = 1_000;
const RATES_MAX = 10_000;
const BINS_MAX = 10_000;
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
