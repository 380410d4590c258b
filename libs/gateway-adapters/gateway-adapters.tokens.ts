import { token } from '@app/kernel/injection';
import type { Gates } from './contract';
import type { GateListener } from './measured-gates';

export const GATES = token<Gates>('GATES');
export const GATE_LISTENER = token<GateListener>('GATE_LISTENER');
