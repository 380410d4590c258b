import { token } from '@app/injection';
import type { EgressPolicy } from './targets/policy';

/** Which addresses are called at all. */
export const EGRESS_POLICY = token<EgressPolicy>('EGRESS_POLICY');
