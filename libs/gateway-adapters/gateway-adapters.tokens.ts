import { token } from '@app/kernel/injection';
import type { Gates } from './contract';
import type { GateWatch } from './measured-gates';

/** The configured gates, each behind its adapter. */
export const GATES = token<Gates>('GATES');
/** Hears of every call to a gate. */
export const GATE_WATCH = token<GateWatch>('GATE_WATCH');
