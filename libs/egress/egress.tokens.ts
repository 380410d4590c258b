import { token } from '@app/injection';
import type { EgressPolicy } from './targets/policy';

/** The rules for the addresses that may be called. */
export const EGRESS_POLICY = token<EgressPolicy>('EGRESS_POLICY');
