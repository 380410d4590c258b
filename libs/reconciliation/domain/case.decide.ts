import { unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { CaseApplied, CaseEvent, CaseOpened } from './case.events';

export type Case =
  | { readonly status: 'none' }
  | { readonly status: 'open'; readonly opened: CaseOpened['data'] }
  | { readonly status: 'closed'; readonly opened: CaseOpened['data'] };

export type CaseCommand =
  | { readonly type: 'OpenCase'; readonly data: CaseOpened['data'] }
  | { readonly type: 'CloseCase'; readonly data: { readonly reason: Sealed; readonly now: Instant } }
  | {
      readonly type: 'RecordApplied';
      readonly data: Pick<CaseApplied['data'], 'to' | 'effect' | 'reason'> & { readonly now: Instant };
    };

export type CaseRejection = { readonly reason: 'opened-before' | 'unknown-case' | 'closed-before' };

const evolve = (state: Case, event: CaseEvent): Case => {
  if (event.type === 'CaseOpened') {
    if (state.status !== 'none') throw new Error('CaseOpened of a case that was opened before');
    return { status: 'open', opened: event.data };
  }
  if (state.status !== 'open') throw new Error(`${event.type} of a case that is ${state.status}`);
  switch (event.type) {
    case 'CaseClosed':
    case 'CaseApplied':
      return { status: 'closed', opened: state.opened };
    default:
      return unreachable(event);
  }
};

const decide = (command: CaseCommand, state: Case): NonEmpty<CaseEvent> | CaseRejection => {
  if (command.type === 'OpenCase')
    return state.status === 'none' ? [{ type: 'CaseOpened', data: command.data }] : { reason: 'opened-before' };
  if (state.status === 'none') return { reason: 'unknown-case' };
  if (state.status === 'closed') return { reason: 'closed-before' };
  const { now, ...data } = command.data;
  return command.type === 'CloseCase'
    ? [{ type: 'CaseClosed', data: { reason: data.reason, closedAt: now } }]
    : [{ type: 'CaseApplied', data: { ...(data as Pick<CaseApplied['data'], 'to' | 'effect' | 'reason'>), appliedAt: now } }];
};

/** A case is opened once and ended once; a difference that comes again opens none. */
export const reconciliationCase: Decider<CaseCommand, CaseEvent, Case, CaseRejection> = { initial: { status: 'none' }, evolve, decide };
