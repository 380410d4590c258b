import type { EventId, StreamName, WorkChange } from '@app/event-store';
import type { AttemptKey, Currency, GateAlias, Instant, MerchantLogin, Sealed } from '@app/kernel';
import type { CallbackTarget, DisputeEvent, FinalEvent, FollowUpEvent } from '@app/orders/events';
import { deliveryWork, type DeliveryListener } from './delivery-work';

const RECORDED_AT = 1_704_067_200_000 as Instant;
const NEXT_TRY_AT = 1_704_067_215_000 as Instant;
const factId = '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId;
const orderStream = 'payment-aaaa' as StreamName;
const attemptKey = 'a-1' as AttemptKey;
const metadata = { merchant: 'acme', recordedAt: RECORDED_AT };

const news = (event: DeliveryListener['event'], stream = orderStream, id = factId): DeliveryListener => ({ stream, id, event, metadata });
const dueItem = (target: CallbackTarget, dueAt = RECORDED_AT): WorkChange => ({
  kind: 'due',
  item: { key: `${factId}:${target}`, stream: orderStream, task: target, dueAt, merchant: 'acme' as MerchantLogin, lane: 'acme' },
});
const reported = { gate: 'sim-a' as GateAlias, reportId: 'CB-1', source: 'gate', receivedAt: RECORDED_AT } as const;
const reportedSum = { minor: 1_042n, currency: 'USD' as Currency };
const finals = (callbacks: readonly CallbackTarget[]): (FinalEvent | FollowUpEvent | DisputeEvent)[] => [
  {
    type: 'OrderApproved',
    data: {
      attemptKey,
      amount: { minor: 1_042n, currency: 'USD' as Currency },
      receiptId: 'abcdefghijklmnopqrstuvwx',
      callbacks,
      approvedAt: RECORDED_AT,
    },
  },
  { type: 'OrderDeclined', data: { code: 100, callbacks, declinedAt: RECORDED_AT } },
  { type: 'OrderFiltered', data: { code: 120, callbacks, filteredAt: RECORDED_AT } },
  { type: 'OrderFailed', data: { code: 121, callbacks, failedAt: RECORDED_AT } },
  {
    type: 'FollowUpApproved',
    data: {
      number: 1,
      receipt: { transactionId: 't', processedAt: RECORDED_AT },
      approvalCode: 'A1',
      callbacks,
      approvedAt: RECORDED_AT,
    },
  },
  { type: 'FollowUpDeclined', data: { number: 1, code: 100, callbacks, declinedAt: RECORDED_AT } },
  { type: 'FollowUpFailed', data: { number: 1, code: 122, callbacks, failedAt: RECORDED_AT } },
  { type: 'FollowUpSettled', data: { number: 1, as: 'declined', reason: 'sealed' as Sealed, callbacks, settledAt: RECORDED_AT } },
  { type: 'ReversalReported', data: { ...reported, operation: 'reversal', amount: reportedSum, callbacks } },
  { type: 'ChargebackReceived', data: { ...reported, stage: 'first', amount: reportedSum, callbacks } },
  { type: 'RepresentmentReported', data: { ...reported, stage: 'first', outcome: 'lost', amount: reportedSum, callbacks } },
  { type: 'FraudWarningReceived', data: { ...reported, callbacks } },
];

describe('deliveryWork', () => {
  it.each(finals(['callback', 'notify']))('$type makes one delivery due at once for each target', (event) => {
    expect(deliveryWork(news(event))).toStrictEqual([dueItem('callback'), dueItem('notify')]);
  });

  it.each(finals([]))('$type without targets makes nothing due', (event) => {
    expect(deliveryWork(news(event))).toStrictEqual([]);
  });

  const deliveryStreamName = 'delivery-bbbb' as StreamName;
  const ownId = '00000000-0000-5000-8000-000000000001' as EventId;
  const identity = { factId, target: 'notify', orderStream } as const;

  it('a failed attempt makes the same delivery due at the time of the next attempt', () => {
    const event: DeliveryListener['event'] = {
      type: 'CallbackFailed',
      data: { ...identity, tryNumber: 1, failure: { cause: 'timed-out' }, failedAt: RECORDED_AT, nextTryAt: NEXT_TRY_AT },
    };
    expect(deliveryWork(news(event, deliveryStreamName, ownId))).toStrictEqual([dueItem('notify', NEXT_TRY_AT)]);
  });

  it("an operator's resend request makes a delivery due at once", () => {
    const event: DeliveryListener['event'] = {
      type: 'CallbackResendRequested',
      data: { ...identity, reason: 'sealed' as Sealed, requestedAt: NEXT_TRY_AT },
    };
    expect(deliveryWork(news(event, deliveryStreamName, ownId))).toStrictEqual([dueItem('notify', NEXT_TRY_AT)]);
  });

  it.each<DeliveryListener['event']>([
    { type: 'CallbackDelivered', data: { ...identity, tries: 2, status: 200, deliveredAt: RECORDED_AT } },
    { type: 'CallbackExhausted', data: { ...identity, tries: 30, failure: { cause: 'timed-out' }, exhaustedAt: RECORDED_AT } },
  ])('$type completes the delivery', (event) => {
    expect(deliveryWork(news(event, deliveryStreamName, ownId))).toStrictEqual([{ kind: 'done', key: `${factId}:notify` }]);
  });

  it.each<DeliveryListener['event']['type']>([
    'OrderAccepted',
    'AttemptStarted',
    'AttemptApproved',
    'PayerChallenged',
    'AttemptSettled',
    'NextAttemptChosen',
    'OrderScreened',
    'MerchantChecked',
    'MerchantCheckFailed',
    'FeesOffered',
    'FeeChosen',
    'CommissionDiffered',
    'CardsMapped',
  ])('%s makes nothing due', (type) => {
    expect(deliveryWork(news({ type, data: {} } as never))).toStrictEqual([]);
  });

  it('throws for an unknown event type', () => {
    expect(() => deliveryWork(news({ type: 'UnheardOf', data: {} } as never))).toThrow(/^no case for .*UnheardOf/);
  });

  it.each<DeliveryListener['event']>([
    { type: 'AttemptUnknown', data: { attemptKey, cause: 'timeout', answeredAt: RECORDED_AT } },
    { type: 'AttemptNotAsked', data: { attemptKey, cause: 'unavailable', answeredAt: RECORDED_AT } },
    { type: 'AttemptDeclined', data: { attemptKey, code: 100, by: 'payer-absent', answeredAt: RECORDED_AT } },
    { type: 'PayerReturned', data: { attemptKey, returnedAt: RECORDED_AT } },
    { type: 'LateResultConflict', data: { attemptKey, believed: 'declined', told: 'approved', transactionId: 't', toldAt: RECORDED_AT } },
    {
      type: 'FollowUpAccepted',
      data: {
        number: 1,
        operation: 'void',
        amount: { minor: 1_042n, currency: 'USD' as Currency },
        original: attemptKey,
        gate: 'sim-a' as GateAlias,
        longestFlightMs: 5_000,
        callbacks: ['notify'],
        acceptedAt: RECORDED_AT,
      },
    },
    { type: 'FollowUpStarted', data: { number: 1, attemptKey, startedAt: RECORDED_AT } },
    { type: 'FollowUpUnknown', data: { number: 1, cause: 'timeout', answeredAt: RECORDED_AT } },
    {
      type: 'LateFollowUpConflict',
      data: { number: 1, believed: 'failed', told: 'approved', transactionId: 't', toldAt: RECORDED_AT },
    },
  ])('$type makes nothing due', (event) => {
    expect(deliveryWork(news(event))).toStrictEqual([]);
  });
});
