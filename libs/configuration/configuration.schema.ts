import { z } from 'zod';
import { parseAmount, type Currency, type Money, type NonEmpty } from '@app/kernel';
import type { ApprovalRule } from './configuration';
import { OPERATOR_NAME, OPERATOR_NAME_FORM, OPERATOR_ROLES } from './operator-token';
import {
  asText,
  mapping,
  oneOf,
  shaped,
  parseIpRange,
  type IpRange,
  flag,
  ipRangeText,
  listOf,
  namesOf,
  numberIn,
  wholeNumberIn,
  baseAddress,
  serverAddress,
} from './reading/scalars';
import { type AdapterSchema, binSchema, currency, gateSchema } from './gates/gate.schema';
import { file, login, merchantSchema } from './merchants/merchant.schema';

const SHA_256 = /^[0-9a-fA-F]{64}$/;

const MERCHANTS_MAX = 10_000;

const operatorSchema = mapping({
  name: shaped(OPERATOR_NAME_FORM, (text) => OPERATOR_NAME.test(text)),
  role: oneOf(OPERATOR_ROLES),
  tokenSha256: shaped('the SHA-256 of a token in 64 hexadecimal digits', (text) => SHA_256.test(text)).transform((text) =>
    text.toLowerCase(),
  ),
  merchants: namesOf(login(), { least: 1, most: MERCHANTS_MAX }).optional(),
});

const shortText = () => shaped('a text of 1 to 256 visible characters', (text) => /^[\x20-\x7e]{1,256}$/.test(text));
const GROUPS_MAX = 100;

const signInSchema = mapping({
  issuer: serverAddress(),
  clientId: shortText(),
  clientSecretFile: file(),
  scope: shortText().default('openid'),
  nameClaim: shortText().default('sub'),
  groupsClaim: shortText().default('groups'),
  groups: listOf(
    mapping({
      group: shortText(),
      role: oneOf(OPERATOR_ROLES),
      merchants: namesOf(login(), { least: 1, most: MERCHANTS_MAX }).optional(),
    }),
    { least: 1, most: GROUPS_MAX },
  ),
});

const PATH_PREFIX = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}){0,8}$/;

const CURRENCIES_MAX = 200;
const GATES_MAX = 1_000;
const BINS_MAX = 100_000;
const RANGES_MAX = 1_000;
const PORTS_MAX = 1_000;
const OPERATORS_MAX = 1_000;
const PORT_MAX = 65_535;
const SPEED_FACTOR_MIN = 0.001;
const SPEED_FACTOR_MAX = 1_000_000;
const WAIT_SECONDS_MIN = 0.001;
const WAIT_SECONDS_MAX = 300;
/** Fractions of a minute are for sandboxes. Timers cannot wait less than a millisecond. */
const MINUTES_MIN = 0.001;
const MINUTES_MAX = 1_440;
const DAYS_MIN = 0.000_01;
const DAYS_MAX = 36_525;
const REQUESTS_PER_SECOND_MAX = 1_000_000;
/** Longer than the 4 s within which we answer. */
const KEEP_ALIVE_SECONDS_MIN = 5;
const KEEP_ALIVE_SECONDS_MAX = 3_600;

const MONEY = /^(\S{1,20}) ([A-Z]{3})$/;

const moneyIn = (text: string): Money | undefined => {
  const [, amount = '', code = ''] = MONEY.exec(text) ?? [];
  const minor = parseAmount(amount);
  return minor !== undefined && currency().safeParse(code).success ? { minor, currency: code as Currency } : undefined;
};

const threshold = () =>
  shaped('an amount with its currency, such as "100.00 EUR"', (text) => moneyIn(text) !== undefined).transform((text): Money => {
    const money = moneyIn(text);
    if (money === undefined) throw new Error('no amount');
    return money;
  });

const thresholds = () =>
  z.preprocess(
    (value): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [value]),
    listOf(threshold(), { least: 0, most: CURRENCIES_MAX }).refine(
      (amounts) => new Set(amounts.map((one) => one.currency)).size === amounts.length,
      'must have each currency once',
    ),
  );

const ALWAYS = 'always';
const always = () => oneOf([ALWAYS]).transform((): ApprovalRule => ({ from: [] }));
const byAmount = () => z.preprocess((value) => (asText(value) === ALWAYS ? { from: [] } : value), mapping({ from: thresholds() }));

const approvalsSchema = mapping({
  resolveUnknown: byAmount().optional(),
  refund: byAmount().optional(),
  capture: byAmount().optional(),
  void: byAmount().optional(),
  applyCase: always().optional(),
  eraseOrder: always().optional(),
  releaseHold: always().optional(),
  applyConfiguration: always().optional(),
});

const schemaOf = (adapters: NonEmpty<AdapterSchema>) =>
  mapping({
    publicBaseUrl: baseAddress().default('http://127.0.0.1:8080'),
    pathPrefix: shaped('empty, or segments that each begin with /, such as /paynet', (text) => PATH_PREFIX.test(text)).default('/paynet'),
    egress: mapping({
      allow: namesOf(ipRangeText(), { least: 0, most: RANGES_MAX })
        .transform((texts) => texts.map(parseIpRange).filter((range): range is IpRange => range !== undefined))
        .default([]),
      ports: listOf(wholeNumberIn(1, PORT_MAX), { least: 0, most: PORTS_MAX }).default([]),
      plainHttp: flag().default(false),
    }).prefault({}),
    callbacks: mapping({ speedFactor: numberIn(SPEED_FACTOR_MIN, SPEED_FACTOR_MAX).default(1) }).prefault({}),
    groupB: mapping({
      httpErrors: oneOf(['always-200', 'status-codes']).default('always-200'),
      notificationWaitSeconds: numberIn(WAIT_SECONDS_MIN, WAIT_SECONDS_MAX).default(10),
      feeChoiceMinutes: numberIn(MINUTES_MIN, MINUTES_MAX).default(15),
    }).prefault({}),
    threeDSecure: mapping({ payerMinutes: numberIn(MINUTES_MIN, MINUTES_MAX).default(15) }).prefault({}),
    retention: mapping({
      refusedCardMinutes: numberIn(MINUTES_MIN, MINUTES_MAX).optional(),
      unusedCardDays: numberIn(DAYS_MIN, DAYS_MAX).optional(),
      expiredCardDays: numberIn(0, DAYS_MAX).optional(),
      personalDataDays: numberIn(DAYS_MIN, DAYS_MAX).optional(),
    }).prefault({}),
    rateLimit: mapping({ requestsPerSecond: wholeNumberIn(0, REQUESTS_PER_SECOND_MAX).default(0) }).prefault({}),
    keepAliveSeconds: wholeNumberIn(KEEP_ALIVE_SECONDS_MIN, KEEP_ALIVE_SECONDS_MAX).default(75),
    documents: oneOf(['off', 'on']).default('off'),
    approvals: approvalsSchema.prefault({}),
    operators: listOf(operatorSchema, { least: 0, most: OPERATORS_MAX }).default([]),
    signIn: signInSchema.optional(),
    orderIds: oneOf(['numeric', 'text']).default('numeric'),
    merchants: listOf(merchantSchema, { least: 1, most: MERCHANTS_MAX }),
    gates: listOf(gateSchema(adapters), { least: 1, most: GATES_MAX }),
    bins: listOf(binSchema, { least: 0, most: BINS_MAX }).default([]),
  });
const schemas = new WeakMap<NonEmpty<AdapterSchema>, ReturnType<typeof schemaOf>>();

/** Schema of the whole file (architecture, "Configuration"). Build it once per list of adapters: that takes ten times as long as reading a file. */
export const configurationSchema = (adapters: NonEmpty<AdapterSchema>): ReturnType<typeof schemaOf> => {
  const schema = schemas.get(adapters) ?? schemaOf(adapters);
  schemas.set(adapters, schema);
  return schema;
};

export type ConfigurationEntries = z.output<ReturnType<typeof schemaOf>>;
