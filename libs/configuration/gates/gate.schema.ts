import { CURRENCIES, type Currency, type GateAlias } from '@app/kernel';
import { z } from 'zod';
import { flag, line, mapping, namesOf, numberIn, oneOf, shaped, wholeNumberIn } from '../reading/scalars';

const ALIAS = /^[a-z0-9-]{1,64}$/;
const CURRENCY = /^[A-Z]{3}$/;
const BIN = /^\d{6}$/;
const COUNTRY = /^[A-Z]{3}$/;

const GATE_CURRENCIES_MAX = 200;
const DESCRIPTOR_CHARACTERS_MAX = 128;
const FLIGHT_SECONDS_MIN = 0.001;
const FLIGHT_SECONDS_MAX = 86_400;
const RATE_MAX = 10_000;
const DECLINE_CODE_MIN = 100;
const DECLINE_CODE_MAX = 999;
const BIN_CODE_CHARACTERS_MAX = 32;
const BIN_NAME_CHARACTERS_MAX = 128;
const COMMISSION_CENTIS_MAX = 1_000_000_000;

/** An alias `status` would collide with the status path of Group B (protocol decisions, section 8). */
export const gateAlias = () =>
  shaped('1 to 64 characters of a-z, 0-9 and -, and not "status"', (text) => ALIAS.test(text) && text !== 'status').transform(
    (text) => text as GateAlias,
  );
export const currency = () =>
  shaped('three upper-case letters', (text) => CURRENCY.test(text))
    .refine((text) => CURRENCIES.has(text), 'is no currency of ISO 4217')
    .transform((text) => text as Currency);
export const descriptor = () => line(DESCRIPTOR_CHARACTERS_MAX);

/** Members of a commission, wherever one is told (protocol decisions, section 8). */
export const commissionMembers = () => ({
  ratePerTenThousand: wholeNumberIn(0, RATE_MAX),
  minCentis: wholeNumberIn(0, COMMISSION_CENTIS_MAX),
});
const commission = () => mapping(commissionMembers());

const simulate = () =>
  mapping({ decline: wholeNumberIn(DECLINE_CODE_MIN, DECLINE_CODE_MAX).optional(), unavailable: flag().default(false) }).refine(
    ({ decline, unavailable }) => decline === undefined || !unavailable,
    'cannot decline what it cannot be asked: one of decline and unavailable',
  );

export const gateSchema = mapping({
  alias: gateAlias(),
  adapter: oneOf(['simulator']),
  currencies: namesOf(currency(), { least: 1, most: GATE_CURRENCIES_MAX }),
  cvvRequired: flag().default(false),
  threeDSecure: flag().default(false),
  partialReversal: flag().default(true),
  partialCapture: flag().default(true),
  longestFlightSeconds: numberIn(FLIGHT_SECONDS_MIN, FLIGHT_SECONDS_MAX).default(5),
  commission: commission().default({ ratePerTenThousand: 150, minCentis: 30 }),
  acquirerCommission: commission().optional(),
  descriptor: descriptor().optional(),
  simulate: simulate().optional(),
});
export type GateEntry = z.output<typeof gateSchema>;

/** Of the card's issuer, as the status answer shows it (protocol decisions, section 2). */
export const binSchema = mapping({
  bin: shaped('six digits in quotes', (text) => BIN.test(text)),
  cardType: line(BIN_CODE_CHARACTERS_MAX).optional(),
  country: shaped('a country in three upper-case letters', (text) => COUNTRY.test(text)).optional(),
  bank: line(BIN_NAME_CHARACTERS_MAX).optional(),
  productCode: line(BIN_CODE_CHARACTERS_MAX).optional(),
  productName: line(BIN_NAME_CHARACTERS_MAX).optional(),
  typeCode: line(BIN_CODE_CHARACTERS_MAX).optional(),
  typeName: line(BIN_NAME_CHARACTERS_MAX).optional(),
});
export type BinEntry = z.output<typeof binSchema>;
