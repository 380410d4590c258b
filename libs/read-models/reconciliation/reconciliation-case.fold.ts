import { unreachable } from '@app/kernel';
import type { CaseEvent, CaseOpened } from '@app/reconciliation/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { ReconciliationCaseView, GateRecordView } from './reconciliation-case.view';

const toldOf = (told: CaseOpened['data']['told']): GateRecordView | null => {
  if (told === undefined) return null;
  const { amount, commissionMinor, ...word } = told;
  return {
    ...word,
    ...(amount && { amountMinor: amount.minor.toString(), currency: amount.currency }),
    ...(commissionMinor !== undefined && { commissionMinor: commissionMinor.toString() }),
  };
};

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldReconciliationCase = (
  view: ReconciliationCaseView | undefined,
  { event, metadata }: LogEvent<CaseEvent>,
): ReconciliationCaseView => {
  if (event.type === 'CaseOpened') {
    if (view !== undefined && view.status !== 'applied') throw new CannotApply(`CaseOpened of a case that is ${view.status}`);
    const { told, ...opened } = event.data;
    const open = { status: 'open', effect: null, closedAt: null, openedBy: metadata.actor, closedBy: null } as const;
    return { ...opened, told: toldOf(told), ...open };
  }
  if (view?.status !== 'open') throw new CannotApply(`${event.type} of a case that is ${view?.status ?? 'not there'}`);
  switch (event.type) {
    case 'CaseClosed':
      return { ...view, status: 'closed', closedAt: event.data.closedAt, closedBy: metadata.actor };
    case 'CaseApplied':
      return { ...view, status: 'applied', effect: event.data.effect, closedAt: event.data.appliedAt, closedBy: metadata.actor };
    default:
      return unreachable(event);
  }
};
