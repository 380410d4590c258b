import { metadataWriter, streamName, type EventId, type EventMetadata, type Position, type Revision } from '@app/event-store';
import { addMs, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import type { FollowUpAccepted, FollowUpEvent } from '@app/orders/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { acceptedOrder, amountOf, receiptOf, START } from '../testing/sample-orders';
import type { FollowUpView, OrderStatusView } from './order-status.view';
import { foldOrderStatus, type OrderEvent } from './order-status.fold';
import { viewForFollowUp, viewForRequest } from './view-for-request';

const KEY = 'attempt-1' as AttemptKey;
const FOLLOW_UP_KEY = 'follow-up-1' as AttemptKey;
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);
const serialOf = (revision: number): string => `serial-${revision}`;

const news = (event: OrderEvent, revision: number): LogEvent<OrderEvent> => {
  const envelope = { correlation: serialOf(revision), causation: 'c', actor: 'a', merchant: 'acme', commandId: 'c' };
  return {
    stream: streamName('payment', 'acme', 'order-1'),
    category: 'payment',
    id: `event-${revision}` as EventId,
    revision: BigInt(revision) as Revision,
    position: String(revision) as Position,
    event,
    metadata: JSON.parse(
      metadataWriter({ ...envelope, recordedAt: START }, streamName('payment', 'acme', 'order-1'))(null, 1),
    ) as EventMetadata,
  };
};

const gate = 'sim-a' as GateAlias;
const order = (operation: 'sale' | 'preauth'): readonly OrderEvent[] => {
  const accepted = acceptedOrder(1, 'p');
  return [
    { type: 'OrderAccepted', data: { ...accepted, plan: { ...accepted.plan, operation } } },
    { type: 'AttemptStarted', data: { attemptKey: KEY, number: 1, gate, amount: amountOf(1_043n), startedAt: at(1) } },
    { type: 'AttemptApproved', data: { attemptKey: KEY, receipt: receiptOf(KEY), approvalCode: 'A1', answeredAt: at(2) } },
    {
      type: 'OrderApproved',
      data: { attemptKey: KEY, amount: amountOf(1_043n), receiptId: 'receipt', callbacks: ['callback'], approvedAt: at(3) },
    },
  ];
};
const fold = (operation: 'sale' | 'preauth', ...followUps: readonly OrderEvent[]): OrderStatusView => {
  const view = [...order(operation), ...followUps].reduce<OrderStatusView | undefined>(
    (before, event, revision) => foldOrderStatus(before, news(event, revision)),
    undefined,
  );
  if (view === undefined) throw new Error('no events');
  return view;
};

const accepted = (operation: FollowUpAccepted['data']['operation'], number = 1): FollowUpEvent => ({
  type: 'FollowUpAccepted',
  data: {
    number,
    operation,
    amount: amountOf(500n),
    original: KEY,
    gate,
    longestFlightMs: 5_000,
    callbacks: ['notify'],
    acceptedAt: at(10),
  },
});
const started = (number = 1): FollowUpEvent => ({
  type: 'FollowUpStarted',
  data: { number, attemptKey: FOLLOW_UP_KEY, startedAt: at(11) },
});
const unknown: FollowUpEvent = { type: 'FollowUpUnknown', data: { number: 1, cause: 'timeout', answeredAt: at(12) } };
const callbacks = ['notify'] as const;
const receipt = receiptOf(FOLLOW_UP_KEY);
const approved = (number = 1): FollowUpEvent => ({
  type: 'FollowUpApproved',
  data: { number, receipt, approvalCode: 'F1', callbacks, approvedAt: at(13) },
});
const declined: FollowUpEvent = {
  type: 'FollowUpDeclined',
  data: { number: 1, code: 116, receipt, advice: 'ask your bank', callbacks, declinedAt: at(13) },
};
const failed: FollowUpEvent = { type: 'FollowUpFailed', data: { number: 1, code: 122, callbacks, failedAt: at(13) } };
const settled = (as: 'approved' | 'declined'): FollowUpEvent => ({
  type: 'FollowUpSettled',
  data: { number: 1, as, reason: 'sealed' as Sealed, callbacks, settledAt: at(13) },
});
const conflict: FollowUpEvent = {
  type: 'LateFollowUpConflict',
  data: { number: 1, believed: 'declined', told: 'approved', transactionId: 'late', toldAt: at(20) },
};

const asAccepted: FollowUpView = {
  number: 1,
  serial: serialOf(4) as never,
  operation: 'reversal',
  status: 'processing',
  stage: 'reversal_processing',
  amountMinor: '500',
  attemptKey: null,
  receipt: null,
  approvalCode: null,
  acceptedAt: at(10),
  processingAt: null,
  finalAt: null,
  code: null,
  advice: null,
  callbacks: [],
  finalEventId: null,
  conflicts: 0,
};
const asStarted: FollowUpView = { ...asAccepted, attemptKey: FOLLOW_UP_KEY, processingAt: at(11) };
const asFinal: FollowUpView = { ...asStarted, finalAt: at(13), callbacks: ['notify'], finalEventId: 'event-6' as EventId };

describe('follow-up in foldOrderStatus', () => {
  const followUpAfter = (...events: readonly FollowUpEvent[]) => fold('sale', accepted('reversal'), ...events).followUps;

  it('is processing once it is accepted [W194]', () => {
    expect(followUpAfter()).toStrictEqual([asAccepted]);
    expect(followUpAfter(started())).toStrictEqual([asStarted]);
  });

  it('is unknown after an unknown outcome', () => {
    expect(followUpAfter(started(), unknown)).toStrictEqual([
      { ...asStarted, status: 'unknown', stage: 'reversal_unknown', unknownSince: at(12) },
    ]);
    for (const next of [approved(), declined, settled('approved')])
      expect(followUpAfter(started(), unknown, next)[0]).not.toHaveProperty('unknownSince');
  });

  it('ends with the outcome from the gate', () => {
    expect(followUpAfter(started(), approved())).toStrictEqual([
      { ...asFinal, status: 'approved', stage: 'reversal_approved', receipt, approvalCode: 'F1' },
    ]);
    expect(followUpAfter(started(), declined)).toStrictEqual([
      { ...asFinal, status: 'declined', stage: 'reversal_declined', receipt, code: 116, advice: 'ask your bank' },
    ]);
    const { receipt: _, advice: __, ...bare } = declined.data;
    expect(followUpAfter(started(), { type: 'FollowUpDeclined', data: bare })).toStrictEqual([
      { ...asFinal, status: 'declined', stage: 'reversal_declined', code: 116 },
    ]);
    expect(followUpAfter(started(), failed)).toStrictEqual([{ ...asFinal, status: 'error', stage: 'reversal_error', code: 122 }]);
  });

  it('ends with the outcome that an operator resolved', () => {
    expect(followUpAfter(started(), settled('approved'))).toStrictEqual([{ ...asFinal, status: 'approved', stage: 'reversal_approved' }]);
    expect(followUpAfter(started(), settled('declined'))).toStrictEqual([
      { ...asFinal, status: 'declined', stage: 'reversal_declined', code: 100 },
    ]);
  });

  it('keeps its final outcome, and counts contradicting outcomes as conflicts', () => {
    const [before] = followUpAfter(started(), declined);
    expect(followUpAfter(started(), declined, conflict)).toStrictEqual([{ ...before, conflicts: 1 }]);
  });

  it('throws CannotApply for impossible event sequences', () => {
    const cannot = (message: string, ...events: readonly FollowUpEvent[]) =>
      expect(() => fold('sale', ...events)).toThrow(new CannotApply(message));
    cannot('follow-up 2 after 0 of them', accepted('reversal', 2));
    cannot('FollowUpStarted before FollowUpAccepted', started());
    cannot('FollowUpFailed of a follow-up that is approved', accepted('reversal'), started(), approved(), failed);
    const [first] = order('sale');
    if (first === undefined) throw new Error('no order');
    const open = foldOrderStatus(undefined, news(first, 0));
    expect(() => foldOrderStatus(open, news(accepted('reversal'), 1))).toThrow('FollowUpAccepted of an order that is processing');
  });
});

describe('order with follow-ups (protocol decisions, section 2)', () => {
  const shown = ({ status, transactionType, stage, amountMinor, finalAt, code }: OrderStatusView) => ({
    status,
    transactionType,
    stage,
    amountMinor,
    finalAt,
    code,
  });
  const asOrdered = {
    status: 'approved',
    transactionType: 'preauth',
    stage: 'auth_approved',
    amountMinor: '1043',
    finalAt: at(3),
    code: null,
  };

  it('stays approved, and shows type and stage of the latest approved follow-up [W191, W194]', () => {
    const captured = [accepted('capture'), started(), approved()];
    expect(shown(fold('preauth', ...captured))).toStrictEqual({ ...asOrdered, transactionType: 'capture', stage: 'capture_approved' });
    const reversed = [...captured, accepted('reversal', 2), started(2), approved(2)];
    expect(shown(fold('preauth', ...reversed))).toStrictEqual({ ...asOrdered, transactionType: 'reversal', stage: 'reversal_approved' });
  });

  it.each([
    ['asked for', []],
    ['under way', [started()]],
    ['unknown', [started(), unknown]],
    ['declined', [started(), declined]],
    ['failed', [started(), failed]],
    ['contradicted', [started(), declined, conflict]],
  ])('shows nothing of a follow-up that is %s [W191]', (_, events) => {
    expect(shown(fold('preauth', accepted('cancel'), ...events))).toStrictEqual(asOrdered);
  });

  const reconciled = (to: 'approved' | 'declined'): FollowUpEvent => ({
    type: 'FollowUpReconciled',
    data: { number: 1, from: 'failed', to, caseId: 'case', gate, reason: 'sealed' as Sealed, callbacks: ['notify'], reconciledAt: at(90) },
  });

  it('shows a reconciled follow-up, or the previous approved operation if the follow-up was reconciled to a decline', () => {
    const changed = { finalAt: at(90), finalEventId: 'event-7', callbacks: ['notify'], approvalCode: null };
    const undone = fold('preauth', accepted('capture'), started(), approved(), reconciled('declined'));
    expect(undone).toMatchObject({ status: 'approved', transactionType: 'preauth', stage: 'auth_approved' });
    expect(undone.followUps).toMatchObject([{ ...changed, status: 'declined', code: 100 }]);
    const done = fold('preauth', accepted('capture'), started(), failed, reconciled('approved'));
    expect(done).toMatchObject({ transactionType: 'capture', stage: 'capture_approved' });
    expect(done.followUps).toMatchObject([{ ...changed, status: 'approved', code: null }]);
    expect(() => fold('preauth', accepted('capture'), started(), reconciled('approved'))).toThrow(
      'FollowUpReconciled of a follow-up that is processing',
    );
  });

  const undone: OrderEvent = {
    type: 'OutcomeReconciled',
    data: {
      attemptKey: KEY,
      from: 'approved',
      to: 'declined',
      amount: amountOf(1_043n),
      caseId: 'case',
      gate,
      reason: 'sealed' as Sealed,
      callbacks,
      reconciledAt: at(95),
    },
  };

  it('counts a late conflict of a declined follow-up even if the order was reconciled to a decline', () => {
    const view = fold('sale', accepted('reversal'), started(), declined, undone, conflict);
    expect(view).toMatchObject({ status: 'declined', stage: 'sale_declined', followUps: [{ status: 'declined', conflicts: 1 }] });
  });

  it('still shows a chargeback if an earlier follow-up was reconciled to a decline', () => {
    const chargeback: OrderEvent = {
      type: 'ChargebackReceived',
      data: { gate, reportId: 'case-1', source: 'gate', stage: 'first', amount: amountOf(1n), callbacks, receivedAt: at(80) },
    };
    const view = fold('sale', accepted('reversal'), started(), approved(), chargeback, reconciled('declined'));
    expect(view).toMatchObject({ transactionType: 'chargeback', stage: 'chargeback_approved' });
  });

  it('finds the request of each follow-up by its serial [W484]', () => {
    expect(fold('sale', accepted('reversal'), accepted('void', 2)).requests).toStrictEqual([
      { serial: serialOf(0), operation: 'sale', eventId: 'event-0' },
      { serial: serialOf(4), operation: 'reversal', eventId: 'event-4' },
      { serial: serialOf(5), operation: 'void', eventId: 'event-5' },
    ]);
  });

  it('viewed by the serial of a follow-up, shows the data of the follow-up, but the amount of the order [W192]', () => {
    const view = fold('preauth', accepted('capture'), started(), declined);
    const seen = viewForRequest(view, serialOf(4));
    expect(seen).toStrictEqual({
      ...view,
      status: 'declined',
      transactionType: 'capture',
      stage: 'capture_declined',
      attemptKey: FOLLOW_UP_KEY,
      receipt,
      approvalCode: null,
      processingAt: at(11),
      finalAt: at(13),
      code: 116,
      advice: 'ask your bank',
    });
    expect(view.followUps.map((followUp) => viewForFollowUp(view, followUp))).toStrictEqual([seen]);
    expect(viewForRequest(view, serialOf(0))).toStrictEqual(view);
    expect(viewForRequest(view, undefined)).toBe(view);
  });

  it.each([
    ['sale', 'sale', 'sale_approved'],
    ['preauth', 'preauth', 'auth_approved'],
  ] as const)('viewed by the serial that created it, shows its own type and stage: %s [W484]', (operation, transactionType, stage) => {
    const view = fold(operation, accepted('reversal'), started(), approved());
    expect(viewForRequest(view, serialOf(0))).toStrictEqual({ ...view, transactionType, stage });
    expect(view).toMatchObject({ transactionType: 'reversal', stage: 'reversal_approved' });
  });
});
