import type { GateAlias, Instant, Sealed } from '@app/kernel';
import type {
  AttemptApproved,
  AttemptCommand,
  AttemptDeclined,
  AttemptEvent,
  AttemptNotAsked,
  Attempts,
  AttemptSettled,
  AttemptStarted,
  AttemptTaken,
  AttemptUnknown,
  GateAnswer,
  LateResultConflict,
  NextAttemptChosen,
  OrderScreened,
  PayerChallenged,
  PayerReturned,
  ProcessingCommand,
  Receipt,
  Taken,
} from '@app/orders/domain';
import { afterAcceptance, ATTEMPT_KEY, RECEIPT_ID, RULES_VERSION, SAMPLE_AMOUNT } from './sample-facts';

const TRANSACTION_ID = 'PNTEST-1';
const PAGE = 'sealed-page' as Sealed;
const RESOLUTION_REASON = 'sealed-reason' as Sealed;

export const STARTED_AT = afterAcceptance(10);
export const ANSWERED_AT = afterAcceptance(200);
/** Later than any flight time of the sample gate. */
export const SETTLED_AT = afterAcceptance(3_600_000);
export const PAYER_RETURNED_AT = afterAcceptance(60_000);
/** 15 minutes after the gate's challenge. */
export const PAYER_DUE_AT = afterAcceptance(900_200);

export const sampleReceipt = (overrides: Partial<Receipt> = {}): Receipt => ({
  transactionId: TRANSACTION_ID,
  processedAt: afterAcceptance(150),
  rrn: '000000000001',
  ...overrides,
});

export const attemptEvents = {
  started: (data: Partial<AttemptStarted['data']> = {}): AttemptStarted => ({
    type: 'AttemptStarted',
    data: { attemptKey: ATTEMPT_KEY, number: 1, gate: 'sim-a' as GateAlias, amount: SAMPLE_AMOUNT, startedAt: STARTED_AT, ...data },
  }),
  approved: (data: Partial<AttemptApproved['data']> = {}): AttemptApproved => ({
    type: 'AttemptApproved',
    data: { attemptKey: ATTEMPT_KEY, receipt: sampleReceipt(), approvalCode: 'A1B2C3', answeredAt: ANSWERED_AT, ...data },
  }),
  declined: (data: Partial<AttemptDeclined['data']> = {}): AttemptDeclined => ({
    type: 'AttemptDeclined',
    data: { attemptKey: ATTEMPT_KEY, code: 116, by: 'gate', receipt: sampleReceipt(), answeredAt: ANSWERED_AT, ...data },
  }),
  declinedForAbsence: (answeredAt: Instant = PAYER_DUE_AT): AttemptDeclined => ({
    type: 'AttemptDeclined',
    data: { attemptKey: ATTEMPT_KEY, code: 110, by: 'payer-absent', answeredAt },
  }),
  taken: (data: Partial<AttemptTaken['data']> = { gateOrderId: '1000000007' }): AttemptTaken => ({
    type: 'AttemptTaken',
    data: { attemptKey: ATTEMPT_KEY, takenAt: ANSWERED_AT, ...data },
  }),
  unknown: (data: Partial<AttemptUnknown['data']> = {}): AttemptUnknown => ({
    type: 'AttemptUnknown',
    data: { attemptKey: ATTEMPT_KEY, cause: 'timeout', answeredAt: ANSWERED_AT, ...data },
  }),
  notAsked: (data: Partial<AttemptNotAsked['data']> = {}): AttemptNotAsked => ({
    type: 'AttemptNotAsked',
    data: { attemptKey: ATTEMPT_KEY, cause: 'unavailable', answeredAt: ANSWERED_AT, ...data },
  }),
  challenged: (data: Partial<PayerChallenged['data']> = {}): PayerChallenged => ({
    type: 'PayerChallenged',
    data: {
      attemptKey: ATTEMPT_KEY,
      transactionId: TRANSACTION_ID,
      page: PAGE,
      payerDueAt: PAYER_DUE_AT,
      answeredAt: ANSWERED_AT,
      ...data,
    },
  }),
  payerReturned: (data: Partial<PayerReturned['data']> = {}): PayerReturned => ({
    type: 'PayerReturned',
    data: { attemptKey: ATTEMPT_KEY, returnedAt: PAYER_RETURNED_AT, ...data },
  }),
  settled: (data: Partial<AttemptSettled['data']> = {}): AttemptSettled => ({
    type: 'AttemptSettled',
    data: { attemptKey: ATTEMPT_KEY, as: 'approved', reason: RESOLUTION_REASON, settledAt: SETTLED_AT, ...data },
  }),
  conflict: (data: Partial<LateResultConflict['data']> = {}): LateResultConflict => ({
    type: 'LateResultConflict',
    data: {
      attemptKey: ATTEMPT_KEY,
      believed: 'declined',
      told: 'approved',
      transactionId: TRANSACTION_ID,
      toldAt: ANSWERED_AT,
      ...data,
    },
  }),
} as const satisfies Record<string, () => AttemptEvent>;

export const routingEvents = {
  nextChosen: (data: Partial<NextAttemptChosen['data']> = {}): NextAttemptChosen => ({
    type: 'NextAttemptChosen',
    data: { gate: 'sim-b' as GateAlias, amountNumber: 1, amount: SAMPLE_AMOUNT, chosenAt: ANSWERED_AT, ...data },
  }),
  screened: (data: Partial<OrderScreened['data']> = {}): OrderScreened => ({
    type: 'OrderScreened',
    data: { rulesVersion: RULES_VERSION, bin: '444455', amounts: [SAMPLE_AMOUNT], screenedAt: STARTED_AT, ...data },
  }),
} as const;

type Answer<Kind extends GateAnswer['kind']> = Extract<GateAnswer, { kind: Kind }>;

export const gateAnswers = {
  approved: (members: Partial<Answer<'approved'>> = {}): Answer<'approved'> => ({
    kind: 'approved',
    receipt: sampleReceipt(),
    approvalCode: 'A1B2C3',
    ...members,
  }),
  declined: (members: Partial<Answer<'declined'>> = {}): Answer<'declined'> => ({
    kind: 'declined',
    receipt: sampleReceipt(),
    code: 116,
    ...members,
  }),
  payerNeeded: (members: Partial<Answer<'payer-needed'>> = {}): Answer<'payer-needed'> => ({
    kind: 'payer-needed',
    transactionId: TRANSACTION_ID,
    page: PAGE,
    payerDueAt: PAYER_DUE_AT,
    ...members,
  }),
  unknown: (members: Partial<Answer<'unknown'>> = {}): Answer<'unknown'> => ({ kind: 'unknown', cause: 'timeout', ...members }),
  notAsked: (members: Partial<Answer<'not-asked'>> = {}): Answer<'not-asked'> => ({ kind: 'not-asked', cause: 'unavailable', ...members }),
} as const satisfies Record<string, () => GateAnswer>;

type Command<Type extends ProcessingCommand['type']> = Extract<ProcessingCommand, { type: Type }>;
type Data<Type extends AttemptCommand['type']> = Extract<AttemptCommand, { type: Type }>['data'];

export const processingCommands = {
  start: (data: Partial<Data<'StartAttempt'>> = {}): Command<'StartAttempt'> => ({
    type: 'StartAttempt',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, gate: 'sim-a' as GateAlias, amount: SAMPLE_AMOUNT, now: STARTED_AT, ...data },
  }),
  record: (answer: GateAnswer, data: Partial<Omit<Data<'RecordAnswer'>, 'answer'>> = {}): Command<'RecordAnswer'> => ({
    type: 'RecordAnswer',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, answer, now: ANSWERED_AT, ...data },
  }),
  recordTaken: (taken: Taken, data: Partial<Data<'RecordTaken'>> = {}): Command<'RecordTaken'> => ({
    type: 'RecordTaken',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, taken, now: ANSWERED_AT, ...data },
  }),
  recordPayerReturn: (data: Partial<Data<'RecordPayerReturn'>> = {}): Command<'RecordPayerReturn'> => ({
    type: 'RecordPayerReturn',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, now: PAYER_RETURNED_AT, ...data },
  }),
  declineAbsentPayer: (data: Partial<Data<'DeclineAbsentPayer'>> = {}): Command<'DeclineAbsentPayer'> => ({
    type: 'DeclineAbsentPayer',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, now: PAYER_DUE_AT, ...data },
  }),
  resolve: (data: Partial<Data<'ResolveAttempt'>> = {}): Command<'ResolveAttempt'> => ({
    type: 'ResolveAttempt',
    receiptId: RECEIPT_ID,
    data: { key: ATTEMPT_KEY, as: 'approved', reason: RESOLUTION_REASON, now: SETTLED_AT, ...data },
  }),
  interrupt: (data: Partial<Command<'InterruptOrder'>['data']> = {}): Command<'InterruptOrder'> => ({
    type: 'InterruptOrder',
    receiptId: RECEIPT_ID,
    data: { now: afterAcceptance(60_000), isHolderGone: false, ...data },
  }),
} as const;

const { started, approved, declined, unknown, notAsked, challenged, payerReturned } = attemptEvents;

export const ATTEMPT_HISTORIES: Readonly<Record<Attempts['status'], readonly AttemptEvent[]>> = {
  none: [],
  started: [started()],
  unknown: [started(), unknown()],
  'payer-needed': [started(), challenged()],
  'payer-returned': [started(), challenged(), payerReturned()],
  approved: [started(), approved()],
  declined: [started(), declined()],
  'not-asked': [started(), notAsked()],
};
