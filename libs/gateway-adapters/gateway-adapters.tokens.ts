import { token } from '@app/injection';
import type { Gates } from './contract';

/** The configured gates, each behind its adapter. */
export const GATES = token<Gates>('GATES');
