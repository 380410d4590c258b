import { unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { CaseApplied, CaseEvent, CaseOpened } from './case.events';

export type Case = { readonly status: 'none' } | { readonly status: 'open' | 'closed' | 'applied'; readonly opened: CaseOpened['data'] };

export type CaseCommand =
  | { readonly type: 'OpenCase'; readonly data: CaseOpened['data'] }
  | { readonly type: 'CloseCase'; readonly data: { readonly reason: Sealed; readonly now: Instant } }
  | {
      readonly type: 'RecordApplied';
      readonly data: Pick<CaseApplied['data'], 'to' | 'effect' | 'reason'> & { readonly now: Instant };
    };

export type CaseRejection = { readonly reason: 'opened-before' | 'unknown-case' | 'closed-before' };

/** What a person closed may differ for good. What was applied no longer differed: where it does again, it is a new difference. */
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

/** A case is opened once and ended once. A difference that comes again opens none, unless it was applied: then the case is opened anew. */
export const reconciliationCase: Decider<CaseCommand, CaseEvent, Case, CaseRejection> = { initial: { status: 'none' }, evolve, decide };
