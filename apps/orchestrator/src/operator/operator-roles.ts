import { OPERATOR_ROLES, type OperatorRole } from '@app/configuration';
import type { OperatorAction } from '@app/operator-audit';

/** All that the operator port can be asked for with a token. */
export type OperatorRequestName = 'list-unknown' | 'read-metrics' | 'find-orders' | 'show-order' | 'list-deliveries' | OperatorAction;

/** The role that may ask for it, and so may those above it. Building all read models anew is no request: it wants the service stopped. */
export const LEAST_ROLES: Readonly<Record<OperatorRequestName, OperatorRole>> = {
  // Without what names a card: see `withoutPersonalData`.
  'list-unknown': 'viewer',
  // Open to everybody unless OPERATOR_METRICS says otherwise.
  'read-metrics': 'viewer',
  'find-orders': 'investigator',
  'show-order': 'investigator',
  'list-deliveries': 'investigator',
  'settle-unknown': 'operator',
  'resend-delivery': 'operator',
  'unpark-stream': 'operator',
};

export const mayAsk = (role: OperatorRole, wanted: OperatorRequestName): boolean => isAtLeast(role, LEAST_ROLES[wanted]);

export const seesPersonalData = (role: OperatorRole): boolean => isAtLeast(role, 'investigator');

const isAtLeast = (role: OperatorRole, least: OperatorRole): boolean => OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);
