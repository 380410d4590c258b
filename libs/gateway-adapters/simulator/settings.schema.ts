import type { CommissionRate, Currency, GateAlias } from '@app/kernel';
import { flag, mapping, oneOf, wholeNumberIn } from '@app/configuration/gates';
import type { BinFacts } from '../contract';
import { type Tokens, TOKENS } from './registered-cards';

export interface SimulatorSettings {
  readonly alias: GateAlias;
  readonly currencies: Iterable<Currency>;
  readonly cvvRequired: boolean;
  readonly threeDSecure: boolean;
  readonly partialReversal: boolean;
  readonly partialCapture: boolean;
  readonly longestFlightMs: number;
  readonly commission: CommissionRate;
  readonly descriptor: string;
  readonly tokens?: Tokens;
  readonly networkTransactions?: boolean;
  readonly allowInProduction?: boolean;
  readonly simulate?:
    | {
        readonly decline?: number | undefined;
        readonly unavailable?: boolean;
      }
    | undefined;
}

export interface SimulatedBin extends BinFacts {
  readonly bin: string;
}

/** Limit after which an unknown outcome is known (architecture, "Configuration"). */
export const UNDECIDED_MS_MAX = 30_000;
/** The first inquiry may still return `unknown`; the second or third returns the outcome. */
export const UNDECIDED_MS_DEFAULT = 1_500;

const DECLINE_CODE_MIN = 100;
const DECLINE_CODE_MAX = 999;

export const simulatorSettings = {
  simulate: mapping({ decline: wholeNumberIn(DECLINE_CODE_MIN, DECLINE_CODE_MAX).optional(), unavailable: flag().default(false) })
    .refine(
      ({ decline, unavailable }) => decline === undefined || !unavailable,
      'cannot decline what it cannot be asked: one of decline and unavailable',
    )
    .readonly()
    .optional(),
  /** When the gate issues tokens, for charging the card again without its number. */
  tokens: oneOf(TOKENS).default('none'),
  networkTransactions: flag().default(false),
  /** For trial installations: without it no simulator starts if NODE_ENV=production. */
  allowInProduction: flag().default(false),
};
