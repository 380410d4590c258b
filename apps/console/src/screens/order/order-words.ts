import type { Schemas } from '../../port';

type ShownOrder = Schemas['ShownOrder'];

const STAGES: Readonly<Record<string, string>> = {
  auth: 'Preauthorisation',
  av: 'Account verification',
  cancel: 'Release',
  capture: 'Capture',
  chargeback: 'Chargeback',
  reversal: 'Refund',
  sale: 'Sale',
  transfer: 'Transfer',
  void: 'Void',
};

const STATES: Readonly<Record<string, string>> = {
  '3d_validating': 'payer must authenticate',
  '3d_validated': 'payer came back',
  chain_declined: 'declined in chain',
};

/** `sale_3d_validating` is "Sale, payer must authenticate". A word that is not known here is shown as it is. */
export const stageText = (stage: string): string => {
  const [, what = '', state = ''] = /^([a-z]+)_(.+)$/.exec(stage) ?? [];
  const name = STAGES[what];
  return name === undefined ? stage : `${name}, ${STATES[state] ?? state.replaceAll('_', ' ')}`;
};

export const FOLLOW_UPS: Readonly<Record<Schemas['FollowUpSummary']['operation'], string>> = {
  cancel: 'Release',
  capture: 'Capture',
  reversal: 'Refund',
  void: 'Void',
};

const AUTHENTICATION: Readonly<Record<string, string>> = {
  AUTHENTICATED: 'The payer was authenticated',
  NOT_AUTHENTICATED: 'The payer was not authenticated',
  UNSUPPORTED: 'The issuer does not support authentication',
  UNKNOWN: 'The gate does not know',
};

/** How the payer authenticated, in words. */
export const authenticationText = (value: string): string => AUTHENTICATION[value] ?? value;

export const OPERATIONS: Readonly<Record<string, string>> = {
  'account-verification': 'Account verification',
  preauth: 'Preauthorisation',
  sale: 'Sale',
  transfer: 'Transfer',
};

/** The status of an order or follow-up of which money may have moved. */
export const UNKNOWN = 'unknown';

/** The status for people. While the gate's answer is missing, merchants are told "processing", and only the stage says that it is unknown. */
export const statusOf = ({ status, stage, finalAt }: Pick<ShownOrder, 'finalAt' | 'stage' | 'status'>): string =>
  finalAt === null && stage.endsWith('_unknown') ? UNKNOWN : status;

const minorOf = (amount: string): bigint => {
  const [, whole = '0', cents = ''] = /^(\d+)(?:\.(\d{1,2})0*)?$/.exec(amount) ?? [];
  return BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'));
};

const sumOf = (order: ShownOrder, operations: readonly string[], statuses: readonly string[]): bigint =>
  order.followUps
    .filter(({ operation, status }) => operations.includes(operation) && statuses.includes(status))
    .reduce((sum, { amount }) => sum + minorOf(amount), 0n);

const MAY_HAVE_MOVED = ['approved', 'processing', 'unknown'];

export type MoneyAction = 'capture' | 'return' | 'void';

/**
 * Which movements of money an order's state allows, for the buttons. The port decides: it knows the gate's rules and deadlines, too.
 * @param operation of the order's plan
 */
export const moneyActions = (order: ShownOrder, operation: string | undefined): readonly MoneyAction[] => {
  if (order.status !== 'approved' || operation === undefined || operation === 'account-verification' || operation === 'transfer') return [];
  const amount = minorOf(order.initialAmount);
  const isVoided = sumOf(order, ['void'], MAY_HAVE_MOVED) > 0n;
  if (isVoided) return [];
  const returned = sumOf(order, ['reversal'], MAY_HAVE_MOVED);
  const released = sumOf(order, ['cancel'], MAY_HAVE_MOVED);
  if (operation === 'sale') return [...(returned < amount ? (['return'] as const) : []), ...(returned === 0n ? (['void'] as const) : [])];
  const captured = sumOf(order, ['capture'], MAY_HAVE_MOVED);
  const isCapturable = captured + released < amount;
  const isReturnable = isCapturable || returned < captured;
  return [...(isCapturable ? (['capture'] as const) : []), ...(isReturnable ? (['return'] as const) : [])];
};

/** Minor units that went back to the payer or may have gone: approved and open refunds. */
export const refundedMinor = (order: ShownOrder): bigint => sumOf(order, ['reversal'], MAY_HAVE_MOVED);
