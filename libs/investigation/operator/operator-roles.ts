import { OPERATOR_ROLES, type OperatorRole } from '@app/configuration';
import type { OperatorAction } from '../record/operator-audit.events';

/** The requests of the operator port that need a token. */
export type OperatorRequestName =
  | 'list-unknown'
  | 'read-metrics'
  | 'list-gates'
  | 'explain-route'
  | 'find-orders'
  | 'show-order'
  | 'list-deliveries'
  | 'list-cases'
  | 'list-orders'
  | 'search-orders'
  | 'show-order-as-of'
  | 'diff-order'
  | 'explain-order'
  | 'list-unknown-as-of'
  | 'order-trail'
  | 'reveal-order'
  | 'order-evidence'
  | 'configuration-in-force'
  | 'list-keys'
  | OperatorAction;

/** The lowest role that may make each request. There is none to rebuild read models, since `orch rebuild` works on their tables itself. */
export const LEAST_ROLES: Readonly<Record<OperatorRequestName, OperatorRole>> = {
  // A viewer gets it without card data: see `withoutPersonalData`.
  'list-unknown': 'viewer',
  // Without a token, too, unless OPERATOR_METRICS asks for one.
  'read-metrics': 'viewer',
  'list-gates': 'viewer',
  'explain-route': 'viewer',
  'find-orders': 'investigator',
  'show-order': 'investigator',
  'list-deliveries': 'investigator',
  'list-cases': 'investigator',
  'list-orders': 'investigator',
  'search-orders': 'investigator',
  'show-order-as-of': 'investigator',
  'diff-order': 'investigator',
  'explain-order': 'investigator',
  'list-unknown-as-of': 'investigator',
  'order-trail': 'investigator',
  // With grounds, which are on record before what is sealed is told.
  'reveal-order': 'investigator',
  'order-evidence': 'investigator',
  'configuration-in-force': 'investigator',
  'list-keys': 'operator',
  'settle-unknown': 'operator',
  'record-report': 'operator',
  'resend-delivery': 'operator',
  'unpark-stream': 'operator',
  'open-cases': 'operator',
  'close-case': 'operator',
  'inquire-gate': 'operator',
  'place-hold': 'operator',
  // What they change cannot be had back, or lets others change it.
  'erase-order': 'admin',
  'erase-card': 'admin',
  'release-hold': 'admin',
  // It opens the personal data of every order of a merchant.
  'find-customer': 'admin',
  // It changes a final status.
  'apply-case': 'admin',
};

export const mayAsk = (role: OperatorRole, wanted: OperatorRequestName): boolean => isAtLeast(role, LEAST_ROLES[wanted]);

export const seesPersonalData = (role: OperatorRole): boolean => isAtLeast(role, 'investigator');

const isAtLeast = (role: OperatorRole, least: OperatorRole): boolean => OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);
