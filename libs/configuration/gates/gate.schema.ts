import { z } from 'zod';
import {
  alpha2Of,
  COUNTRIES,
  CURRENCIES,
  type Currency,
  type GateAlias,
  type NonEmpty,
  type Secret,
  type CommissionRate,
} from '@app/kernel';
import { asText, flag, line, mapping, namesOf, numberIn, oneOf, shaped, wholeNumberIn } from '../reading/scalars';
import { secretAt, type CredentialSearch } from '../merchants/credentials';
import { list, readable, text } from '../merchants/references';

const ALIAS = /^[a-z0-9-]{1,64}$/;
const CURRENCY = /^[A-Z]{3}$/;
const BIN = /^\d{6}$/;

const GATE_CURRENCIES_MAX = 200;
const DESCRIPTOR_CHARACTERS_MAX = 128;
const FLIGHT_SECONDS_MIN = 0.001;
const FLIGHT_SECONDS_MAX = 86_400;
const RATE_MAX = 10_000;
const BIN_CODE_CHARACTERS_MAX = 32;
const BIN_NAME_CHARACTERS_MAX = 128;
const SECRET_OR_PATH_CHARACTERS_MAX = 4_096;
const CIRCUIT_SECONDS_MAX = 86_400;
const CIRCUIT_CALLS_MAX = 10_000;
const PER_CENT = 100;
const COMMISSION_CENTIS_MAX = 1_000_000_000;

/** An alias `status` would collide with the status path of Group B (protocol decisions, section 8). */
export const gateAlias = () =>
  shaped('1 to 64 characters of a-z, 0-9 and -, and not "status"', (text) => ALIAS.test(text) && text !== 'status').transform(
    (text) => text as GateAlias,
  );
export const currency = () =>
  shaped('three upper-case letters', (text) => CURRENCY.test(text))
    .refine((text) => CURRENCIES.has(text), 'is not an ISO 4217 currency')
    .transform((text) => text as Currency);
const isCountry = (text: string): boolean => COUNTRIES.has(text) || alpha2Of(text) !== undefined;
const COUNTRY_SLIPS: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['GER', 'DEU'],
  ['NED', 'NLD'],
  ['SUI', 'CHE'],
]);
const noCountry = ({ input }: { readonly input?: unknown }): string => {
  const meant = COUNTRY_SLIPS.get(String(input));
  return `is not an ISO 3166 country${meant === undefined ? '' : `: write ${meant}`}`;
};
/** Rejects unassigned codes: a rule for such a country would never match. */
export const country = () =>
  shaped('an ISO 3166 country in two or three upper-case letters', (text) => /^[A-Z]{2,3}$/.test(text)).refine(isCountry, {
    error: noCountry,
  });
export const descriptor = () => line(DESCRIPTOR_CHARACTERS_MAX);

export const commissionMembers = () => ({
  ratePerTenThousand: wholeNumberIn(0, RATE_MAX),
  minCentis: wholeNumberIn(0, COMMISSION_CENTIS_MAX),
});
const commission = () => mapping(commissionMembers());

const circuit = () =>
  mapping({
    enabled: flag().default(true),
    windowSeconds: wholeNumberIn(1, CIRCUIT_SECONDS_MAX).default(60),
    calls: wholeNumberIn(1, CIRCUIT_CALLS_MAX).default(20),
    failurePercent: wholeNumberIn(1, PER_CENT).default(50),
    openSeconds: wholeNumberIn(1, CIRCUIT_SECONDS_MAX).default(30),
    openSecondsMax: wholeNumberIn(1, CIRCUIT_SECONDS_MAX).default(600),
    probes: wholeNumberIn(1, CIRCUIT_CALLS_MAX).default(3),
  }).refine(({ openSeconds, openSecondsMax }) => openSeconds <= openSecondsMax, {
    error: 'must not be less than openSeconds',
    path: ['openSecondsMax'],
  });

const gateMembers = (names: NonEmpty<string>) => ({
  alias: gateAlias(),
  adapter: oneOf(names),
  currencies: namesOf(currency(), { least: 1, most: GATE_CURRENCIES_MAX }),
  cvvRequired: flag().default(false),
  threeDSecure: flag().default(false),
  partialReversal: flag().default(true),
  partialCapture: flag().default(true),
  longestFlightSeconds: numberIn(FLIGHT_SECONDS_MIN, FLIGHT_SECONDS_MAX).default(5),
  commission: commission().default({ ratePerTenThousand: 150, minCentis: 30 }),
  acquirerCommission: commission().optional(),
  descriptor: descriptor().optional(),
  circuit: circuit().prefault({}),
});
export type GateEntry = z.output<z.ZodObject<ReturnType<typeof gateMembers>>>;

const withoutPayer = () => ({
  threeDSecure: flag()
    .refine((isOn) => !isOn, 'needs an adapter that supports payer authentication')
    .default(false),
});

const secretKeys = (secrets: SecretForms): readonly string[] => Object.keys(secrets).flatMap((name) => [name, fileKeyOf(name)]);

/** Only accepts the keys here. Their format is checked when they are read, together with the files that contain them. */
const secretMembers = (secrets: SecretForms) =>
  Object.fromEntries(secretKeys(secrets).map((key) => [key, line(SECRET_OR_PATH_CHARACTERS_MAX).optional()]));

/** Settings are logged and compared, so secrets are removed. */
const withoutSecrets = (entry: object, secrets: SecretForms): object => {
  const keys = secretKeys(secrets);
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
};

const adapterNamed = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'adapter' in entry ? asText(entry.adapter) : undefined;

/** With an unknown adapter, the common keys are still checked, so that one start reports all faults. */
export const gateSchema = (adapters: NonEmpty<AdapterSchema>): z.ZodType<GateEntry> => {
  const [first, ...others] = adapters;
  const members = gateMembers([first.name, ...others.map(({ name }) => name)]);
  const byAdapter = new Map<unknown, z.ZodType<GateEntry>>(
    adapters.map(({ name, settings, secrets, capabilities }) => [
      name,
      mapping({
        ...members,
        ...(capabilities.includes('payerAuthentication') ? {} : withoutPayer()),
        ...settings,
        ...secretMembers(secrets),
      }).transform((entry) => withoutSecrets(entry, secrets) as GateEntry),
    ]),
  );
  const ownKeys = adapters.flatMap(({ settings, secrets }) => [...Object.keys(settings), ...secretKeys(secrets)]);
  const ofNone: z.ZodType<GateEntry> = mapping({ ...members, ...Object.fromEntries(ownKeys.map((key) => [key, z.unknown().optional()])) });
  return z.unknown().transform((entry, context) => {
    const parsed = (byAdapter.get(adapterNamed(entry)) ?? ofNone).safeParse(entry);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: entry } as (typeof context.issues)[number]);
    return z.NEVER;
  });
};

/** Issuer data shown in the status answer (protocol decisions, section 2). */
export const binSchema = mapping({
  bin: shaped('six digits in quotes', (text) => BIN.test(text)),
  cardType: line(BIN_CODE_CHARACTERS_MAX).optional(),
  country: shaped('a country in three upper-case letters', (text) => /^[A-Z]{3}$/.test(text))
    .refine(isCountry, { error: noCountry })
    .optional(),
  bank: line(BIN_NAME_CHARACTERS_MAX).optional(),
  productCode: line(BIN_CODE_CHARACTERS_MAX).optional(),
  productName: line(BIN_NAME_CHARACTERS_MAX).optional(),
  typeCode: line(BIN_CODE_CHARACTERS_MAX).optional(),
  typeName: line(BIN_NAME_CHARACTERS_MAX).optional(),
});

/** Secrets of one gate, by name. */
export type GateSecrets = Readonly<Record<string, Secret<string>>>;

const fileKeyOf = (name: string): string => `${name}File`;

const named = readable({ gates: list(readable({ adapter: text() })) });

/** Secrets of each gate, in file order. They are read even if the file has other faults, so that one start reports all of them. */
export const gateSecretsOf = (value: unknown, adapters: readonly AdapterSchema[], search: CredentialSearch): readonly GateSecrets[] =>
  named.parse(value).gates.map(({ adapter }, index): GateSecrets => {
    const forms = Object.entries(adapters.find(({ name }) => name === adapter)?.secrets ?? {});
    const keys = Object.fromEntries(forms.flatMap(([name]) => [[name, text()] as const, [fileKeyOf(name), text()] as const]));
    const entry = readable({ gates: list(readable(keys)) }).parse(value).gates[index] ?? {};
    const found = forms.flatMap(([name, { isRequired, what, accepts }]) => {
      const secret = secretAt(
        {
          name,
          inFile: entry[name],
          named: entry[fileKeyOf(name)],
          parent: ['gates', index],
          isRequired,
          what,
          accepts,
          isPublished: () => false,
        },
        search,
      );
      return secret === undefined ? [] : [[name, secret] as const];
    });
    return Object.freeze(Object.fromEntries(found));
  });

/** When a gate is taken out of the routes of new orders, and when it returns. */
export interface CircuitSettings {
  readonly windowMs: number;
  readonly callsMin: number;
  readonly failurePercent: number;
  readonly openMs: number;
  readonly openMsMax: number;
  readonly probes: number;
}

/** Settings common to all gates. */
export interface GateSettings {
  readonly alias: GateAlias;
  /** Name of the adapter; its own settings are on the same level (`GateSettingsOf`). */
  readonly adapter: string;
  readonly currencies: ReadonlySet<Currency>;
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  /** A `not found` from the gate is accepted only after this time (architecture, rule 4). */
  readonly longestFlightMs: number;
  readonly commission: CommissionRate;
  /** Set if the acquirer's commission differs. */
  readonly acquirerCommission?: CommissionRate;
  readonly descriptor: string;
  /** Absent if the circuit breaker is off. */
  readonly circuit?: CircuitSettings;
}

interface SecretForm {
  readonly isRequired: boolean;
  /** Expected form, for the message of a fault. */
  readonly what: string;
  readonly accepts: (text: string) => boolean;
}
export type SecretForms = Readonly<Record<string, SecretForm>>;

/** The part of an adapter that the configuration needs to read its gates. */
export interface AdapterSchema<
  Name extends string = string,
  Own extends z.ZodRawShape = z.ZodRawShape,
  Secrets extends SecretForms = SecretForms,
> {
  readonly name: Name;
  /** Keys that only gates of this adapter have. */
  readonly settings: Own;
  /** Each name is a key of the gate; the name followed by `File` is the key for the file that contains the secret (architecture, "Configuration"). */
  readonly secrets: Secrets;
  /** Capability names from the gate contract; `threeDSecure` needs `payerAuthentication`. */
  readonly capabilities: readonly string[];
  /** Approves cards without charging. Refused in production unless the gate sets `allowInProduction: true`. */
  readonly isSimulated?: true;
}

type OwnSettings<Own extends z.ZodRawShape, Read = z.output<z.ZodObject<Own>>> = {
  readonly [Key in keyof Read as string extends Key ? never : Key]: Read[Key];
};

type SecretsOf<Secrets extends SecretForms> = {
  readonly [Name in keyof Secrets as Secrets[Name]['isRequired'] extends true ? Name : never]: Secret<string>;
} & { readonly [Name in keyof Secrets as Secrets[Name]['isRequired'] extends true ? never : Name]?: Secret<string> };

export type GateSettingsOf<Adapter extends AdapterSchema> =
  Adapter extends AdapterSchema<infer Name, infer Own, infer Secrets>
    ? Omit<GateSettings, 'adapter'> & { readonly adapter: Name; readonly secrets: SecretsOf<Secrets> } & OwnSettings<Own>
    : never;
