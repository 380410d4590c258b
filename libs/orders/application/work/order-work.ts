import { addMs, unreachable, type Instant, type MerchantLogin } from '@app/kernel';
import type { StreamName, WorkChange, WorkItem } from '@app/event-store';
import {
  CHALLENGE_INQUIRY_GAP_MS,
  INQUIRY_GAPS_MS,
  SUBMIT_OVERDUE_MS,
  isEventOf,
  type AcceptedOrder,
  type DeviceOrderEvent,
  type FollowUpEvent,
} from '../../domain';
import { inquiryLane, workLane } from '../gates/in-flight-calls';

export interface OrderWorkEvent {
  readonly stream: StreamName;
  readonly metadata: { readonly merchant: string };
  readonly event: { readonly type: 'OrderAccepted'; readonly data: Pick<AcceptedOrder, 'plan' | 'acceptedAt'> } | DeviceOrderEvent;
}

export const orderWork = (news: OrderWorkEvent): readonly WorkChange[] => {
  const { stream, event } = news;
  // Reads the envelope only if work is due, because it may have to be parsed.
  const dueIn = (laneOf: (merchant: MerchantLogin) => string, task: string, dueAt: Instant): readonly WorkChange[] => {
    const merchant = news.metadata.merchant as MerchantLogin;
    return [{ kind: 'due', item: { key: stream, stream, task, dueAt, merchant, lane: laneOf(merchant) } }];
  };
  const due = (task: string, gate: Parameters<typeof workLane>[1], dueAt: Instant): readonly WorkChange[] =>
    dueIn((merchant) => workLane(merchant, gate), task, dueAt);
  if (isEventOf(event, 'follow-up')) return followUpWork(stream, news.metadata.merchant as MerchantLogin, event);
  if (isEventOf(event, 'end')) return [{ kind: 'done', key: stream }];
  if (isEventOf(event, 'report', 'reconciliation')) return [];
  switch (event.type) {
    case 'OrderAccepted': {
      const { plan, acceptedAt } = event.data;
      if (plan.cvvHolder === undefined) return due('submit', plan.gates[0].alias, acceptedAt);
      // An interruption sends nothing, so it does not wait for room at the gate.
      return due('interrupt', 'payer', addMs(acceptedAt, SUBMIT_OVERDUE_MS));
    }
    case 'NextAttemptChosen':
      return due('go-on', event.data.gate, event.data.chosenAt);
    case 'AttemptStarted':
      return dueIn((merchant) => inquiryLane(merchant, event.data.gate), 'inquire', addMs(event.data.startedAt, INQUIRY_GAPS_MS[0]));
    case 'PayerChallenged':
      return event.data.isHosted === true
        ? dueIn((merchant) => inquiryLane(merchant, 'hosted-challenges'), 'inquire', addMs(event.data.answeredAt, CHALLENGE_INQUIRY_GAP_MS))
        : due('decline-absent-payer', 'payer', event.data.payerDueAt);
    case 'FeesOffered':
    case 'GateFeesOffered':
      return due('decline-absent-choice', 'payer', event.data.choiceDueAt);
    case 'FeeChosen':
      return due('go-on', event.data.gate, event.data.chosenAt);
    case 'GateFeeChosen':
      return due('inquire', 'payer', addMs(event.data.chosenAt, INQUIRY_GAPS_MS[0]));
    case 'PayerReturned':
      return due('inquire', 'payer', addMs(event.data.returnedAt, INQUIRY_GAPS_MS[0]));
    case 'AttemptApproved':
    case 'AttemptDeclined':
    case 'AttemptNotAsked':
    case 'AttemptTaken':
    case 'AttemptUnknown':
    case 'AttemptSettled':
    case 'LateResultConflict':
    case 'OrderScreened':
    case 'MerchantChecked':
    case 'MerchantCheckFailed':
    case 'CommissionDiffered':
    case 'CardsMapped':
      return [];
    default:
      return unreachable(event);
  }
};

/** Stream names end in base32, so none matches. */
const KEY = /#([1-9]\d*)$/;

const keyOf = (stream: StreamName, number: number): string => `${stream}#${number}`;

export const followUpOf = ({ key }: Pick<WorkItem, 'key'>): number | undefined => {
  const number = KEY.exec(key)?.[1];
  return number === undefined ? undefined : Number(number);
};

/** One work item per follow-up, as several may be open at once. */
export const followUpWork = (stream: StreamName, merchant: MerchantLogin, event: FollowUpEvent): readonly WorkChange[] => {
  switch (event.type) {
    case 'FollowUpAccepted': {
      const { number, gate, acceptedAt } = event.data;
      const lane = workLane(merchant, gate);
      return [{ kind: 'due', item: { key: keyOf(stream, number), stream, task: 'follow-up', dueAt: acceptedAt, merchant, lane } }];
    }
    case 'FollowUpApproved':
    case 'FollowUpDeclined':
    case 'FollowUpFailed':
    case 'FollowUpSettled':
      return [{ kind: 'done', key: keyOf(stream, event.data.number) }];
    case 'FollowUpStarted': {
      const { number, startedAt } = event.data;
      const dueAt = addMs(startedAt, INQUIRY_GAPS_MS[0]);
      const lane = inquiryLane(merchant, 'follow-ups');
      return [{ kind: 'due', item: { key: keyOf(stream, number), stream, task: 'follow-up', dueAt, merchant, lane } }];
    }
    case 'FollowUpUnknown':
    case 'LateFollowUpConflict':
    case 'FollowUpReconciled':
      return [];
    default:
      return unreachable(event);
  }
};
