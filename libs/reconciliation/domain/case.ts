import type { SettledOperation } from '@app/gateway-adapters/contract';
import { type GateAlias, type Instant, type Money, type Sealed, unreachable, type Decider, type NonEmpty } from '@app/kernel';
import type { FieldDifference, FindingKind } from './compare';

export const CASE_SOURCES = ['file', 'inquiry'] as const;
export type CaseSource = (typeof CASE_SOURCES)[number];

/** The gate's data on the transaction; absent if the gate did not mention it. */
export interface GateRecord {
  readonly status: 'approved' | 'declined' | 'open';
  readonly amount?: Money;
  readonly commissionMinor?: bigint;
  readonly processedAt?: Instant;
  /** The gate's own reference of the transaction. */
  readonly reference?: string;
  /** Line of the file with this digest. */
  readonly line?: number;
}

/** The order of the case, if we have one. */
export interface CaseOrder {
  readonly orderId: string;
  readonly merchant: string;
  /** The number of the follow-up; absent for the order's own attempt. */
  readonly followUp?: number;
}

/** A difference between our log and a gate's settlement, for review. The same difference opens one case, and reopens it if it recurs after it was applied. */
export type CaseOpened = {
  readonly type: 'CaseOpened';
  readonly data: {
    readonly gate: GateAlias;
    readonly kind: FindingKind;
    readonly source: CaseSource;
    /** Key of the attempt that the gate received. */
    readonly original: string;
    /** Key of the request itself, if it is ours. */
    readonly key?: string;
    readonly operation: SettledOperation;
    readonly order?: CaseOrder;
    readonly differences: readonly FieldDifference[];
    readonly told?: GateRecord;
    /** SHA-256 of the file, hex. */
    readonly fileDigest?: string;
    readonly openedAt: Instant;
  };
};

/** Reviewed by an operator; no change is needed here. */
export type CaseClosed = {
  readonly type: 'CaseClosed';
  readonly data: { readonly reason: Sealed; readonly closedAt: Instant };
};

/** The gate's result was applied to the order, which records it; `held-already` if the order already had it. */
export type CaseApplied = {
  readonly type: 'CaseApplied';
  readonly data: {
    readonly to: 'approved' | 'declined';
    readonly effect: 'reconciled' | 'resolved' | 'held-already';
    readonly reason: Sealed;
    readonly appliedAt: Instant;
  };
};

export type CaseEvent = CaseOpened | CaseClosed | CaseApplied;

export type Case = { readonly status: 'none' } | { readonly status: 'open' | 'closed' | 'applied'; readonly opened: CaseOpened['data'] };

export type CaseCommand =
  | { readonly type: 'OpenCase'; readonly data: CaseOpened['data'] }
  | { readonly type: 'CloseCase'; readonly data: { readonly reason: Sealed; readonly now: Instant } }
  | {
      readonly type: 'RecordApplied';
      readonly data: Pick<CaseApplied['data'], 'to' | 'effect' | 'reason'> & { readonly now: Instant };
    };

export type CaseRejection = { readonly reason: 'opened-before' | 'unknown-case' | 'closed-before' };

/** A closed difference may persist. After an applied one both sides agreed, so a recurrence is a new difference. */
const mayOpen = ({ status }: Case): boolean => status === 'none' || status === 'applied';

const evolve = (state: Case, event: CaseEvent): Case => {
  if (event.type === 'CaseOpened') {
    if (!mayOpen(state)) throw new Error(`CaseOpened of a case that is ${state.status}`);
    return { status: 'open', opened: event.data };
  }
  if (state.status !== 'open') throw new Error(`${event.type} of a case that is ${state.status}`);
  switch (event.type) {
    case 'CaseClosed':
      return { status: 'closed', opened: state.opened };
    case 'CaseApplied':
      return { status: 'applied', opened: state.opened };
    default:
      return unreachable(event);
  }
};

const decide = (command: CaseCommand, state: Case): NonEmpty<CaseEvent> | CaseRejection => {
  if (command.type === 'OpenCase') return mayOpen(state) ? [{ type: 'CaseOpened', data: command.data }] : { reason: 'opened-before' };
  if (state.status === 'none') return { reason: 'unknown-case' };
  if (state.status !== 'open') return { reason: 'closed-before' };
  const { now, ...data } = command.data;
  return command.type === 'CloseCase'
    ? [{ type: 'CaseClosed', data: { reason: data.reason, closedAt: now } }]
    : [{ type: 'CaseApplied', data: { ...(data as Pick<CaseApplied['data'], 'to' | 'effect' | 'reason'>), appliedAt: now } }];
};

/** A case is opened and ended once. A recurring difference opens it again only if the case was applied. */
export const reconciliationCase: Decider<CaseCommand, CaseEvent, Case, CaseRejection> = { initial: { status: 'none' }, evolve, decide };
