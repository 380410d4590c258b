import { EXIT } from '../command-failed';

export interface ReconcileOptions {
  readonly gate?: string;
  readonly file?: string;
  readonly earlier?: readonly string[];
  readonly poll?: true;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly dryRun?: true;
  readonly actor?: string;
}

export type Outcome = 'agrees' | 'differs' | 'set-aside' | 'nothing-compared';

/** A difference takes precedence over rows that were not compared. */
export const EXIT_BY_OUTCOME: Readonly<Record<Outcome, number>> = {
  agrees: 0,
  differs: 1,
  'set-aside': EXIT.refused,
  'nothing-compared': EXIT.usage,
};
