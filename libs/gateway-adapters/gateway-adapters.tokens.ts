import { token } from '@app/kernel/injection';
import type { Gates } from './contract';
import type { GateWatch } from './measured-gates';

export const GATES = token<Gates>('GATES');
export const GATE_WATCH = token<GateWatch>('GATE_WATCH');
