import type { EndpointGroupId, EndpointId, MerchantLogin } from '@app/kernel';
import { z } from 'zod';
import { country, currency, descriptor, gateAlias } from '../gates/gate.schema';
import { OPERATION_NAMES, CASCADE_GATES_MAX } from './accounts';
import { routing } from './routing.schema';
import {
  amount,
  asText,
  flag,
  ipRangeText,
  line,
  listOf,
  mapping,
  moment,
  namesOf,
  oneOf,
  shaped,
  wholeNumberIn,
  serverAddress,
  targetAddress,
} from '../reading/scalars';

export const LOGIN = /^[A-Za-z][A-Za-z0-9._@-]{0,19}$/;
const ENTRY_POINT_ID = /^\d{1,20}$/;
const BIN_PREFIX = /^\d{6,8}$/;

const ENDPOINTS_MAX = 10_000;
const GROUPS_MAX = 1_000;
const GROUP_ENDPOINTS_MAX = 200;
const BLOCKED_MAX = 10_000;
const COUNT_MAX = 1_000_000;
const HOURS_MAX = 8_784;
const NAME_CHARACTERS_MAX = 64;
const PATH_CHARACTERS_MAX = 4_096;
const SECRET_CHARACTERS_MAX = 1_024;
const STATUS_WAIT_MS_MAX = 2_000;
/** Largest amount of a request (interface, section 2.4), so that the default adds no limit. */
const AMOUNT_MINOR_MAX = 9_999_999_999_00n;

export const entryPointId = () => shaped('digits in quotes, at most 20', (text) => ENTRY_POINT_ID.test(text));
export const file = () => line(PATH_CHARACTERS_MAX);
export const login = () =>
  shaped('1 to 20 characters of A-Z, a-z, 0-9, ., _, @ and -, starting with a letter', (text) => LOGIN.test(text)).transform(
    (text) => text as MerchantLogin,
  );
/** The format is checked when the secret is read, together with the form that names a file. */
export const secret = () => line(SECRET_CHARACTERS_MAX);

const cardLimit = (hours: number) =>
  mapping({ count: wholeNumberIn(0, COUNT_MAX).default(0), hours: wholeNumberIn(1, HOURS_MAX).default(hours) });

const blocked = (item: z.ZodType<string>) => namesOf(item, { least: 0, most: BLOCKED_MAX }).default([]);

export const screening = () =>
  mapping({
    minAmount: amount().optional(),
    maxAmount: amount().optional(),
    blockedBins: blocked(shaped('six to eight digits in quotes', (text) => BIN_PREFIX.test(text))),
    blockedCountries: blocked(country()),
    blockedIps: blocked(ipRangeText()),
    perCard: cardLimit(24).prefault({}),
    perIp: cardLimit(1).prefault({}),
  }).refine(({ minAmount = 0n, maxAmount }) => maxAmount === undefined || minAmount <= maxAmount, {
    error: 'must not be less than minAmount',
    path: ['maxAmount'],
  });

const ALL = 'all';
const operations = () =>
  z
    .preprocess(
      (value) => (asText(value) === ALL ? [ALL] : value),
      namesOf(oneOf([ALL, ...OPERATION_NAMES]), { least: 1, most: OPERATION_NAMES.length }),
    )
    .transform((names) => (names.includes(ALL) ? ALL : new Set(names.filter((name) => name !== ALL))));

const endpointSchema = mapping({
  id: entryPointId().transform((text) => text as EndpointId),
  currency: currency(),
  gates: namesOf(gateAlias(), { least: 1, most: CASCADE_GATES_MAX }),
  descriptor: descriptor().optional(),
  maxAmount: amount()
    .refine((minor) => minor > 0n, 'must be more than zero')
    .default(AMOUNT_MINOR_MAX),
  transferRates: oneOf(['first-gate', 'consumer']).default('first-gate'),
  callbackUrl: targetAddress().optional(),
  randomSum: oneOf(['optional', 'required']).default('optional'),
  consumerEmail: oneOf(['required', 'optional']).default('required'),
  screening: screening().optional(),
  routing: routing().optional(),
  operations: operations().default(ALL),
});
export type EndpointEntry = z.output<typeof endpointSchema>;

const groupSchema = mapping({
  id: entryPointId().transform((text) => text as EndpointGroupId),
  endpoints: namesOf(
    entryPointId().transform((text) => text as EndpointId),
    { least: 1, most: GROUP_ENDPOINTS_MAX },
  ),
});

export const merchantSchema = mapping({
  login: login(),
  name: line(NAME_CHARACTERS_MAX).optional(),
  siteUrl: targetAddress().optional(),
  controlKey: secret().optional(),
  controlKeyFile: file().optional(),
  formerControlKey: mapping({ key: secret().optional(), keyFile: file().optional(), notAfter: moment() }).optional(),
  oauthPublicKeyFile: file().optional(),
  merchantUrl: serverAddress().optional(),
  cardMapping: oneOf(['notify', 'off']).default('notify'),
  callback: mapping({
    method: oneOf(['post-json', 'post-form', 'get']).default('post-json'),
    secret: secret().optional(),
    secretFile: file().optional(),
    formerSecret: mapping({ secret: secret().optional(), secretFile: file().optional(), notAfter: moment() }).optional(),
  }).prefault({}),
  rebillControl: oneOf(['with-endpoint', 'without-endpoint', 'either']).default('either'),
  showCommissions: flag().default(false),
  statusWaitMs: wholeNumberIn(0, STATUS_WAIT_MS_MAX).default(0),
  unknownStatus: oneOf(['processing', 'unknown']).default('processing'),
  endpoints: listOf(endpointSchema, { least: 1, most: ENDPOINTS_MAX }),
  groups: listOf(groupSchema, { least: 0, most: GROUPS_MAX }).default([]),
});
export type MerchantEntry = z.output<typeof merchantSchema>;
