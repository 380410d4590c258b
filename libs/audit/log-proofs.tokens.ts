import { token } from '@app/injection';
import type { LogProofs, LogProofsWatch } from './log-proofs';

/** The tree behind the event log, of the process that keeps it. */
export const LOG_PROOFS = token<Pick<LogProofs, 'start' | 'stop' | 'health'>>('LOG_PROOFS');
export const LOG_PROOFS_WATCH = token<LogProofsWatch>('LOG_PROOFS_WATCH');
