import { addMs, unreachable, type Decider, type Instant, type MerchantLogin, type Money, type NonEmpty, type Sealed } from '@app/kernel';

/** Actions of the operator port that the configuration can make subject to a second person. */
export const APPROVABLE_ACTIONS = [
  'settle-unknown',
  'return-order',
  'capture-order',
  'void-order',
  'apply-case',
  'erase-order',
  'erase-card',
  'release-hold',
  'apply-configuration',
] as const;
type ApprovableAction = (typeof APPROVABLE_ACTIONS)[number];

/** The change of a configuration, with key ids in place of secrets. */
export interface ProposedConfiguration {
  /** Of the file. */
  readonly digest: string;
  /** The digest in force where it was proposed. */
  readonly inForce: string;
  /** Approvals and operators first. Cut if there are many. A member without a value has no `before` or no `after`. */
  readonly changes: readonly { readonly field: string; readonly before?: string; readonly after?: string }[];
  readonly changeCount: number;
  /** The kept what-if that is its reason: its id, the SHA-256 of its result, and its totals as JSON. */
  readonly whatIf?: { readonly id: string; readonly digest: string; readonly totals: string };
}

/** An action and its effect when it was proposed. No personal data. */
export interface ProposedAction {
  readonly action: ApprovableAction;
  /** An orderid, a card reference, a case or `configuration`. */
  readonly target: string;
  /** Absent if the action concerns no merchant. */
  readonly merchant?: MerchantLogin;
  /** Of the order, or of the changes of the configuration. */
  readonly orderStream?: string;
  /** Its newest change that the proposer saw, absent if there was none: a newer one invalidates the proposal. */
  readonly orderRevision?: bigint;
  readonly amount?: Money;
  /** The outcome of an unknown order or follow-up, or of a case. */
  readonly to?: 'approved' | 'declined';
  readonly followUp?: number;
  readonly endsReferences?: boolean;
  /** Of a return, capture or void: the keyed digest of the key that the caller chose. */
  readonly keyDigest?: string;
  readonly configuration?: ProposedConfiguration;
}

export type ActionProposed = {
  readonly type: 'ActionProposed';
  readonly data: ProposedAction & {
    readonly proposer: string;
    readonly reason: Sealed;
    readonly proposedAt: Instant;
    readonly expiresAt: Instant;
  };
};

/** Durable before the action. `isAlone`: an admin acted without a second person. */
export type ActionApproved = {
  readonly type: 'ActionApproved';
  readonly data: { readonly approver: string; readonly isAlone: boolean; readonly reason?: Sealed; readonly approvedAt: Instant };
};

export type ProposalRejected = {
  readonly type: 'ProposalRejected';
  readonly data: { readonly rejecter: string; readonly reason: Sealed; readonly rejectedAt: Instant };
};

/** Recorded at the first decision after the proposal's time. */
export type ProposalExpired = { readonly type: 'ProposalExpired'; readonly data: { readonly expiredAt: Instant } };

/** The order or the configuration changed after the proposer saw it. */
export type ProposalInvalidated = {
  readonly type: 'ProposalInvalidated';
  readonly data: { readonly orderRevision: bigint; readonly invalidatedAt: Instant };
};

/** `refused`: the state no longer allowed the action, and nothing was done. */
export type ApprovedActionEnded = {
  readonly type: 'ApprovedActionEnded';
  readonly data: { readonly outcome: 'done' | 'refused'; readonly cause?: string; readonly endedAt: Instant };
};

export type ApprovalEvent =
  ActionProposed | ActionApproved | ProposalRejected | ProposalExpired | ProposalInvalidated | ApprovedActionEnded;

type Proposed = ActionProposed['data'];

export type Approval =
  | { readonly status: 'none' }
  | { readonly status: 'waiting' | 'rejected' | 'expired' | 'invalidated'; readonly proposed: Proposed }
  /** Its action may not have been executed yet. */
  | { readonly status: 'approved'; readonly proposed: Proposed }
  | { readonly status: 'done' | 'refused'; readonly proposed: Proposed; readonly cause?: string };

export type ApprovalCommand =
  | {
      readonly type: 'Propose';
      readonly data: ProposedAction & { readonly proposer: string; readonly reason: Sealed; readonly now: Instant };
    }
  | {
      readonly type: 'Approve';
      readonly data: {
        readonly approver: string;
        readonly isAdmin: boolean;
        /** The approver acts without a second person. */
        readonly isAlone: boolean;
        /** The current revision of `orderStream`; absent without an event. */
        readonly orderRevision?: bigint;
        readonly reason?: Sealed;
        readonly now: Instant;
      };
    }
  | { readonly type: 'Reject'; readonly data: { readonly rejecter: string; readonly reason: Sealed; readonly now: Instant } }
  | { readonly type: 'RecordEnd'; readonly data: { readonly outcome: 'done' | 'refused'; readonly cause?: string; readonly now: Instant } };

export interface ApprovalRejection {
  readonly reason: 'unknown-proposal' | 'proposed-before' | 'own-proposal' | 'not-admin' | 'decided-before' | 'nothing-new';
}

export const PROPOSAL_TERM_MS = 86_400_000;

const evolve = (state: Approval, event: ApprovalEvent): Approval => {
  if (event.type === 'ActionProposed') {
    if (state.status !== 'none') throw new Error(`ActionProposed of a proposal that is ${state.status}`);
    return { status: 'waiting', proposed: event.data };
  }
  if (event.type === 'ApprovedActionEnded') {
    if (state.status !== 'approved') throw new Error(`ApprovedActionEnded of a proposal that is ${state.status}`);
    const { outcome, cause } = event.data;
    return { status: outcome, proposed: state.proposed, ...(cause !== undefined && { cause }) };
  }
  if (state.status !== 'waiting') throw new Error(`${event.type} of a proposal that is ${state.status}`);
  const { proposed } = state;
  switch (event.type) {
    case 'ActionApproved':
      return { status: 'approved', proposed };
    case 'ProposalRejected':
      return { status: 'rejected', proposed };
    case 'ProposalExpired':
      return { status: 'expired', proposed };
    case 'ProposalInvalidated':
      return { status: 'invalidated', proposed };
    default:
      return unreachable(event);
  }
};

/** At its last instant a proposal has expired. */
export const isExpired = ({ expiresAt }: Pick<Proposed, 'expiresAt'>, now: Instant): boolean => now >= expiresAt;

const approve = (
  { approver, isAdmin, isAlone, orderRevision, reason, now }: Extract<ApprovalCommand, { type: 'Approve' }>['data'],
  proposed: Proposed,
): NonEmpty<ApprovalEvent> | ApprovalRejection => {
  if (isExpired(proposed, now)) return [{ type: 'ProposalExpired', data: { expiredAt: now } }];
  if (orderRevision !== undefined && orderRevision !== proposed.orderRevision)
    return [{ type: 'ProposalInvalidated', data: { orderRevision, invalidatedAt: now } }];
  if (isAlone && !isAdmin) return { reason: 'not-admin' };
  if (!isAlone && approver === proposed.proposer) return { reason: 'own-proposal' };
  return [{ type: 'ActionApproved', data: { approver, isAlone, ...(reason !== undefined && { reason }), approvedAt: now } }];
};

const decide = (command: ApprovalCommand, state: Approval): NonEmpty<ApprovalEvent> | ApprovalRejection => {
  if (command.type === 'Propose') {
    if (state.status !== 'none') return { reason: 'proposed-before' };
    const { now, ...proposed } = command.data;
    return [{ type: 'ActionProposed', data: { ...proposed, proposedAt: now, expiresAt: addMs(now, PROPOSAL_TERM_MS) } }];
  }
  if (state.status === 'none') return { reason: 'unknown-proposal' };
  if (command.type === 'RecordEnd') {
    const { outcome, cause, now } = command.data;
    if (state.status !== 'approved') return { reason: 'nothing-new' };
    return [{ type: 'ApprovedActionEnded', data: { outcome, ...(cause !== undefined && { cause }), endedAt: now } }];
  }
  if (state.status !== 'waiting') return { reason: 'decided-before' };
  if (command.type === 'Approve') return approve(command.data, state.proposed);
  const { rejecter, reason, now } = command.data;
  if (isExpired(state.proposed, now)) return [{ type: 'ProposalExpired', data: { expiredAt: now } }];
  return [{ type: 'ProposalRejected', data: { rejecter, reason, rejectedAt: now } }];
};

/** A proposal of one person is decided once, by another one. Its action is executed after the approval is stored. */
export const approval: Decider<ApprovalCommand, ApprovalEvent, Approval, ApprovalRejection> = {
  initial: { status: 'none' },
  evolve,
  decide,
};
