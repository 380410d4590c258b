import { personOf } from '../../format';
import type { Role, Schemas } from '../../port';
import type { Tone } from '../../ui/badge';

type ListedApproval = Schemas['ListedApproval'];
type Action = ListedApproval['action'];
type Status = ListedApproval['status'];

const ACTIONS: Readonly<Record<Action, readonly [words: string, role: Role]>> = {
  'settle-unknown': ['Resolve an unknown outcome', 'operator'],
  'return-order': ['Refund', 'operator'],
  'capture-order': ['Capture', 'operator'],
  'void-order': ['Void', 'operator'],
  'apply-case': ['Apply a reconciliation case', 'admin'],
  'erase-order': ['Erase personal data of an order', 'admin'],
  'erase-card': ['Erase a card', 'admin'],
  'release-hold': ['Release a legal hold', 'admin'],
  'apply-configuration': ['Apply a new configuration', 'admin'],
};

export const actionText = (action: Action): string => ACTIONS[action][0];

/** The role that a decision on it needs: that of the action itself. */
export const roleOf = (action: Action): Role => ACTIONS[action][1];

/** What an approval does, in a sentence. `money` is the formatted amount. */
export const effectText = ({ action, to, followUp }: ListedApproval, money: string | undefined): string => {
  const sum = money === undefined ? '' : ` of ${money}`;
  const outcome = to === 'approved' ? 'approved: money moved' : 'declined: no money moved';
  switch (action) {
    case 'settle-unknown':
      return `${followUp === null ? 'The order' : `Follow-up ${followUp} of the order`}${sum} becomes ${outcome}.`;
    case 'return-order':
      return `${money ?? 'All that is left'} goes back to the payer, or a hold of that sum on the card is released.`;
    case 'capture-order':
      return `${money ?? 'All that is left'} of the preauthorised sum is taken.`;
    case 'void-order':
      return `The sale${sum} is voided before the gate clears it.`;
    case 'apply-case':
      return `The order${sum} takes the final status of the gate’s settlement: ${outcome}.`;
    case 'erase-order':
      return 'The cards of the order and the keys of its personal data are destroyed. This cannot be undone.';
    case 'erase-card':
      return 'The card behind the reference, and all references to it, are destroyed. This cannot be undone.';
    case 'release-hold':
      return 'The order may be erased again, on request or by age.';
    case 'apply-configuration':
      return 'Every process takes the new configuration without a restart. Accepted orders keep their plan.';
  }
};

interface StatusWords {
  readonly tone: Tone;
  readonly word: string;
  /** What it means for the money or the record. */
  readonly meaning?: string;
}

const STATUSES: Readonly<Record<Status, StatusWords>> = {
  waiting: { tone: 'info', word: 'Waiting' },
  approved: {
    tone: 'unknown',
    word: 'Execution not recorded',
    meaning:
      'It was approved, and then a process ended or a store did not answer. Whether it was executed is not recorded. Execute it: what was completed is not repeated.',
  },
  done: { tone: 'ok', word: 'Executed' },
  refused: { tone: 'bad', word: 'Not executed', meaning: 'It was approved, but the state no longer allowed it. Nothing was changed.' },
  rejected: { tone: 'bad', word: 'Rejected', meaning: 'Nothing was changed.' },
  expired: { tone: 'calm', word: 'Expired', meaning: 'Nobody decided within 24 hours. Nothing was changed.' },
  invalidated: {
    tone: 'warn',
    word: 'Invalidated',
    meaning:
      'The record changed after the proposal, so that its effect was no longer certain. Nothing was changed. Propose it again if it is still right.',
  },
};

/** The status in words. One that waits beyond its time has expired, also before the port records that. */
export const statusOf = ({ status, expiresAt }: ListedApproval, nowMs: number): StatusWords & { readonly status: Status } => {
  const current = status === 'waiting' && Date.parse(expiresAt) <= nowMs ? 'expired' : status;
  return { status: current, ...STATUSES[current] };
};

/** `order-moved` is "order moved": the port's causes are words with hyphens. */
export const causeText = (cause: string): string => cause.replaceAll('-', ' ');

interface Person {
  readonly name: string;
  readonly can: (role: Role) => boolean;
}

/**
 * What a person may decide about a waiting proposal. `alone`: an admin's own proposal, without the second person. The port decides again.
 */
export const decisionsOf = (
  approval: ListedApproval,
  { name, can }: Person,
  nowMs: number,
): readonly ('alone' | 'approve' | 'execute' | 'reject' | 'withdraw')[] => {
  if (!can('operator') || !can(roleOf(approval.action))) return [];
  const { status } = statusOf(approval, nowMs);
  if (status === 'approved') return ['execute'];
  if (status !== 'waiting') return [];
  if (!isOwn(approval, name)) return ['approve', 'reject'];
  return can('admin') ? ['withdraw', 'alone'] : ['withdraw'];
};

export const isOwn = ({ proposer }: Pick<ListedApproval, 'proposer'>, name: string): boolean => personOf(proposer) === name;
