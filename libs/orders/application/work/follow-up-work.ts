import { addMs, unreachable, type MerchantLogin } from '@app/kernel';
import type { StreamName, WorkChange, WorkItem } from '@app/event-store';
import { INQUIRY_GAPS_MS, type FollowUpEvent } from '../../domain';
import { inquiryLane, workLane } from '../work-lane';

/** A stream's name has only a hyphen and base32 beside its category, so none ends like this. */
const KEY = /#([1-9]\d*)$/;

const keyOf = (stream: StreamName, number: number): string => `${stream}#${number}`;

/** The follow-up of its stream that a work item is about; undefined where it is about the order itself. */
export const followUpOf = ({ key }: Pick<WorkItem, 'key'>): number | undefined => {
  const number = KEY.exec(key)?.[1];
  return number === undefined ? undefined : Number(number);
};

/** One wake-up for each follow-up, as several may be open at once; between its acceptance and its end the reactor decides on the next one. */
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
