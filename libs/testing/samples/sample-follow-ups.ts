import { addMs, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import type {
  FollowUpAccepted,
  FollowUpAnswer,
  FollowUpApproved,
  FollowUpCommand,
  FollowUpDeclined,
  FollowUpEvent,
  FollowUpFailed,
  FollowUpSettled,
  FollowUpStarted,
  FollowUpUnknown,
  LateFollowUpConflict,
} from '@app/orders/domain';
import { gateAnswers, sampleReceipt } from './sample-attempts';
import { afterAcceptance, ATTEMPT_KEY, SAMPLE_AMOUNT } from './sample-facts';

export const FOLLOW_UP_KEY = '00000000-0000-4000-8000-0000000000f1' as AttemptKey;

/** A full reversal, requested an hour after the order was accepted. */
export const FOLLOW_UP_AT = afterAcceptance(3_600_000);
const later = (ms: number): Instant => addMs(FOLLOW_UP_AT, ms);
const STARTED_AT = later(10);
const ANSWERED_AT = later(200);

export const followUpEvents = {
  accepted: (data: Partial<FollowUpAccepted['data']> = {}): FollowUpAccepted => ({
    type: 'FollowUpAccepted',
    data: {
      number: 1,
      operation: 'reversal',
      amount: SAMPLE_AMOUNT,
      original: ATTEMPT_KEY,
      gate: 'sim-a' as GateAlias,
      longestFlightMs: 5_000,
      callbacks: [],
      acceptedAt: FOLLOW_UP_AT,
      ...data,
    },
  }),
  started: (data: Partial<FollowUpStarted['data']> = {}): FollowUpStarted => ({
    type: 'FollowUpStarted',
    data: { number: 1, attemptKey: FOLLOW_UP_KEY, startedAt: STARTED_AT, ...data },
  }),
  unknown: (data: Partial<FollowUpUnknown['data']> = {}): FollowUpUnknown => ({
    type: 'FollowUpUnknown',
    data: { number: 1, cause: 'timeout', answeredAt: ANSWERED_AT, ...data },
  }),
  approved: (data: Partial<FollowUpApproved['data']> = {}): FollowUpApproved => ({
    type: 'FollowUpApproved',
    data: { number: 1, receipt: sampleReceipt(), approvalCode: 'A1B2C3', callbacks: [], approvedAt: ANSWERED_AT, ...data },
  }),
  declined: (data: Partial<FollowUpDeclined['data']> = {}): FollowUpDeclined => ({
    type: 'FollowUpDeclined',
    data: { number: 1, code: 116, receipt: sampleReceipt(), callbacks: [], declinedAt: ANSWERED_AT, ...data },
  }),
  failed: (data: Partial<FollowUpFailed['data']> = {}): FollowUpFailed => ({
    type: 'FollowUpFailed',
    data: { number: 1, code: 122, callbacks: [], failedAt: ANSWERED_AT, ...data },
  }),
  settled: (data: Partial<FollowUpSettled['data']> = {}): FollowUpSettled => ({
    type: 'FollowUpSettled',
    data: { number: 1, as: 'approved', reason: 'sealed-reason' as Sealed, callbacks: [], settledAt: later(60_000), ...data },
  }),
  conflict: (data: Partial<LateFollowUpConflict['data']> = {}): LateFollowUpConflict => ({
    type: 'LateFollowUpConflict',
    data: { number: 1, believed: 'failed', told: 'approved', transactionId: 'PNTEST-1', toldAt: later(9_000), ...data },
  }),
} as const satisfies Record<string, () => FollowUpEvent>;

type Command<Type extends FollowUpCommand['type']> = Extract<FollowUpCommand, { type: Type }>;

/** A gate with every capability, which clears a day after the sample order. */
export const ABLE_GATE = { canCapture: true, canReturn: true, voidableUntil: afterAcceptance(86_400_000) } as const;

export const followUpCommands = {
  request: (data: Partial<Command<'RequestFollowUp'>['data']> = {}): Command<'RequestFollowUp'> => ({
    type: 'RequestFollowUp',
    data: { kind: 'return', capabilities: ABLE_GATE, now: FOLLOW_UP_AT, ...data },
  }),
  start: (data: Partial<Command<'StartFollowUp'>['data']> = {}): Command<'StartFollowUp'> => ({
    type: 'StartFollowUp',
    data: { number: 1, key: FOLLOW_UP_KEY, now: STARTED_AT, ...data },
  }),
  record: (
    answer: FollowUpAnswer,
    data: Partial<Omit<Command<'RecordFollowUpAnswer'>['data'], 'answer'>> = {},
  ): Command<'RecordFollowUpAnswer'> => ({
    type: 'RecordFollowUpAnswer',
    data: { number: 1, key: FOLLOW_UP_KEY, answer, now: ANSWERED_AT, ...data },
  }),
  resolve: (data: Partial<Command<'ResolveUnknownFollowUp'>['data']> = {}): Command<'ResolveUnknownFollowUp'> => ({
    type: 'ResolveUnknownFollowUp',
    data: { number: 1, as: 'approved', reason: 'sealed-reason' as Sealed, now: later(60_000), ...data },
  }),
} as const;

export const followUpAnswers = {
  approved: gateAnswers.approved,
  declined: gateAnswers.declined,
  unknown: gateAnswers.unknown,
  notAsked: gateAnswers.notAsked,
} as const;
