import type { CommissionRate, Currency, GateAlias, Secret } from '@app/kernel';
import type { z } from 'zod';

/** When a gate leaves the routes of new orders, and when it comes back. */
export interface CircuitSettings {
  readonly windowMs: number;
  readonly callsMin: number;
  readonly failurePercent: number;
  readonly openMs: number;
  readonly openMsMax: number;
  readonly probes: number;
}

/** The settings of every gate, whichever adapter makes it. */
export interface GateSettings {
  readonly alias: GateAlias;
  /** The name of the adapter that makes the gate; its own settings stand beside these (`GateSettingsOf`). */
  readonly adapter: string;
  readonly currencies: ReadonlySet<Currency>;
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  /** A `not found` is believed only after this (architecture, rule 4). */
  readonly longestFlightMs: number;
  readonly commission: CommissionRate;
  /** Present where the acquirer's differs. */
  readonly acquirerCommission?: CommissionRate;
  readonly descriptor: string;
  /** Absent where it is turned off. */
  readonly circuit?: CircuitSettings;
}

/** A key, password or token by which an adapter proves itself to its gate, or the gate to us. */
interface SecretForm {
  readonly isRequired: boolean;
  /** What it must be, for the message of a fault. */
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
  /** The value of `adapter`. */
  readonly name: Name;
  /** The keys that gates of this adapter alone have, beside those of every gate. */
  readonly settings: Own;
  /** Each is a key of the gate too, or, with `File` behind its name, names the file that holds it (architecture, "Configuration"). */
  readonly secrets: Secrets;
  /** The capabilities of its gates, by the names of the gate contract; `threeDSecure` needs `payerAuthentication`. */
  readonly capabilities: readonly string[];
  /** Approves cards and charges nobody. A gate of it is refused in production, unless its own key `allowInProduction` is true. */
  readonly isSimulated?: true;
}

/** The parsed form of these keys; an adapter without keys of its own adds nothing. */
type OwnSettings<Own extends z.ZodRawShape, Read = z.output<z.ZodObject<Own>>> = {
  readonly [Key in keyof Read as string extends Key ? never : Key]: Read[Key];
};

/** The secrets of a gate, by their names; one that is not required may be absent. */
type SecretsOf<Secrets extends SecretForms> = {
  readonly [Name in keyof Secrets as Secrets[Name]['isRequired'] extends true ? Name : never]: Secret<string>;
} & { readonly [Name in keyof Secrets as Secrets[Name]['isRequired'] extends true ? never : Name]?: Secret<string> };

/** The settings of gates of these adapters: a union by `adapter`. */
export type GateSettingsOf<Adapter extends AdapterSchema> =
  Adapter extends AdapterSchema<infer Name, infer Own, infer Secrets>
    ? Omit<GateSettings, 'adapter'> & { readonly adapter: Name; readonly secrets: SecretsOf<Secrets> } & OwnSettings<Own>
    : never;
