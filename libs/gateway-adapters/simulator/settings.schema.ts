import type { CommissionRate, Currency, GateAlias } from '@app/kernel';
import { flag, mapping, oneOf, wholeNumberIn } from '@app/configuration/gates';
import type { BinFacts } from '../contract';
import { type Tokens, TOKENS } from './registered-cards';

/** A simulator gate as the configuration describes it (architecture, "Configuration"). */
export interface SimulatorSettings {
  readonly alias: GateAlias;
  readonly currencies: Iterable<Currency>;
  /** A charge without CVV is refused. */
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  readonly longestFlightMs: number;
  /** The commission that it holds for a transfer. */
  readonly commission: CommissionRate;
  readonly descriptor: string;
  /** `none` where absent. */
  readonly tokens?: Tokens;
  /** False where absent. */
  readonly networkTransactions?: boolean;
  readonly allowInProduction?: boolean;
  readonly simulate?:
    | {
        /** Declines everything with this code. */
        readonly decline?: number | undefined;
        /** Every call answers that the gate is unavailable. */
        readonly unavailable?: boolean;
      }
    | undefined;
}

/** The simulator's facts of one issuer, by the first six digits of its cards. */
export interface SimulatedBin extends BinFacts {
  readonly bin: string;
}

/** An outcome left unknown is known after at most this long (architecture, "Configuration"). */
export const UNDECIDED_MS_MAX = 30_000;
/** Long enough that the first inquiry may still hear `unknown`, short enough that the second or third hears the outcome. */
export const UNDECIDED_MS_DEFAULT = 1_500;

const DECLINE_CODE_MIN = 100;
const DECLINE_CODE_MAX = 999;

/** The settings that only a simulator gate has. */
export const simulatorSettings = {
  /** Simulates a gate that declines everything with this code, or one that is unavailable. */
  simulate: mapping({ decline: wholeNumberIn(DECLINE_CODE_MIN, DECLINE_CODE_MAX).optional(), unavailable: flag().default(false) })
    .refine(
      ({ decline, unavailable }) => decline === undefined || !unavailable,
      'cannot decline what it cannot be asked: one of decline and unavailable',
    )
    .readonly()
    .optional(),
  /** When it gives its own token of a card, by which it charges the card again without its number. */
  tokens: oneOf(TOKENS).default('none'),
  /** Whether it tells the scheme's id of a payment, and charges by one. */
  networkTransactions: flag().default(false),
  /** For trials of an installation: without it no simulator starts when NODE_ENV=production. */
  allowInProduction: flag().default(false),
};
