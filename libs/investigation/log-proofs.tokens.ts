import { token } from '@app/kernel/injection';
import type { LogProofs, LogProofsListener } from './log-proofs/log-proofs';
import type { SigningKey } from './log-proofs/checkpoint';

export const LOG_PROOFS = token<Pick<LogProofs, 'start' | 'stop' | 'health'>>('LOG_PROOFS');
export const LOG_PROOFS_LISTENER = token<LogProofsListener>('LOG_PROOFS_LISTENER');
export const LOG_SIGNING_KEY = token<SigningKey | undefined>('LOG_SIGNING_KEY');
