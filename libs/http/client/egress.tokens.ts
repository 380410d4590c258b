import { token } from '@app/kernel/injection';
import type { EgressPolicy } from './target';

/** The rules for the addresses that may be called. */
export const EGRESS_POLICY = token<EgressPolicy>('EGRESS_POLICY');
