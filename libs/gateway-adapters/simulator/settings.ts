import type { CommissionRate, Currency, GateAlias } from '@app/kernel';
import type { BinFacts } from '../contract';
import type { Tokens } from './registered-cards';

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
