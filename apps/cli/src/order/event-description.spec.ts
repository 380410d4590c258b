import type { AnyEvent, StoredEvent } from '@app/event-store';
import type { AttemptKey, CardRefId, Currency, EndpointId, GateAlias, Instant, OrderId, Sealed } from '@app/kernel';
import type { CardRegistrationEvent } from '@app/card-registration/events';
import type { DeliveryEvent } from '@app/callbacks/events';
import {
  ATTEMPT_KEY,
  attemptEvents,
  destinationReferred,
  disputeEvents,
  deviceEvents,
  devicePlan,
  finalEvents,
  followUpEvents,
  REPORT_DETAILS,
  routingEvents,
  sampleCard,
  sampleDeviceOrder,
  sampleGate,
  sampleOrder,
  samplePlan,
  sourceReferred,
} from '@app/testing';
import { EVENT_CODECS } from '@app/read-models/queries';
import { describeEvent } from './event-description';
import type { TimelineEvent } from './timeline-event';

const CASCADE = samplePlan({ gates: [sampleGate(), sampleGate({ alias: 'sim-b' as never })] });
const ROUTE = {
  rulesVersion: 'rules0of0the0sample',
  rule: 'shared',
  able: CASCADE.gates.map(({ alias }) => alias),
  drawnBy: 'customer',
  leftOut: ['sim-c' as never],
  chosenAt: 1_704_067_200_000 as Instant,
} as const;
const FACT_ID = 'fdec9014-3c10-5d61-b449-e3eb4f762bc4' as StoredEvent['id'];
const identity = { factId: FACT_ID, target: 'callback', orderStream: 'payment-x' as StoredEvent['stream'] } as const;
const { card: _card, destination: _destination, ...byReference } = sampleDeviceOrder();
const { destination: _mapped, ...mappedAlone } = deviceEvents.cardsMapped({ isAcknowledged: false }).data;
const AT = 1_704_067_200_000 as Instant;

const ERASED_ORDER = { orderStream: 'payment-x', orderId: 'p0sample0order1r' as OrderId, merchant: sampleOrder().merchant };

const issued: CardRegistrationEvent = {
  type: 'CardReferenceIssued',
  data: {
    cardRefId: 'p658a47wgsfirs4rvrfc' as CardRefId,
    use: 'source',
    merchant: sampleOrder().merchant,
    orderKind: 'payment',
    orderId: 'p0sample0order1r' as OrderId,
    clientOrderId: sampleOrder().clientOrderId,
    endpointId: '1001' as EndpointId,
    card: sampleCard(),
    customer: sampleOrder().customer,
    issuedAt: AT,
  },
};
const failed: DeliveryEvent = {
  type: 'CallbackFailed',
  data: { ...identity, tryNumber: 2, failure: { cause: 'answered', status: 503 }, failedAt: AT, nextTryAt: AT },
};

const rows: readonly (readonly [event: TimelineEvent, title: string, facts: readonly string[]])[] = [
  [
    { type: 'OrderAccepted', data: sampleOrder({ plan: CASCADE }) },
    'order accepted',
    ['sale of 10.42 USD', 'endpoint 1001', 'card 444455…1111 VISA 12/2030', 'at sim-a, then sim-b', 'customer and details [sealed]'],
  ],
  [
    { type: 'OrderAccepted', data: sampleOrder({ plan: samplePlan({ ...CASCADE, route: ROUTE }) }) },
    'order accepted',
    [
      'sale of 10.42 USD',
      'endpoint 1001',
      'card 444455…1111 VISA 12/2030',
      'at sim-a, then sim-b',
      'routing rule shared, drawn for the customer',
      'without sim-c, whose circuit is open',
      'customer and details [sealed]',
    ],
  ],
  [
    { type: 'OrderAccepted', data: { ...sampleOrder(), cardRefId: 'p658a47wgsfirs4rvrfc' as CardRefId, marks: {} } },
    'order accepted',
    [
      'sale of 10.42 USD',
      'endpoint 1001',
      'card reference p658a47wgsfirs4rvrfc',
      'card 444455…1111 VISA 12/2030',
      'at sim-a',
      'customer and details [sealed]',
    ],
  ],
  [
    { type: 'OrderAccepted', data: sampleDeviceOrder({ plan: devicePlan({ gates: [sampleGate()] }) }) },
    'order accepted',
    [
      'transfer of 10.42 USD',
      'endpoint 1001',
      'card 444455…1111 VISA 12/2030',
      'to card 555544…2222 MASTERCARD',
      'at sim-a',
      'customer and details [sealed]',
    ],
  ],
  [
    { type: 'OrderAccepted', data: byReference },
    'order accepted',
    ['transfer of 10.42 USD', 'endpoint 1001', 'at sim-a, then sim-b', 'customer and details [sealed]'],
  ],
  [deviceEvents.checked(), 'check passed', ['the merchant server confirmed it']],
  [
    deviceEvents.checked({ source: sourceReferred, destination: destinationReferred, randomSum: 'AUTHENTICATED' }),
    'check passed',
    [
      'the merchant server confirmed it',
      'card reference s0sample0reference0c',
      'card 444455…1111 VISA 12/2030',
      'to card reference d0sample0reference0c',
      'card 555544…2222 MASTERCARD',
      'random sum AUTHENTICATED',
    ],
  ],
  [deviceEvents.checkFailed({ cause: 'contradiction' }), 'check failed', ['the merchant server contradicts the app']],
  [
    deviceEvents.feesOffered(),
    'consumer must choose a fee',
    ['sim-a for 0.30 USD', 'sim-b for 2.00 USD', 'until 2024-01-01 00:15:00.005Z'],
  ],
  [deviceEvents.feeChosen(), 'fee chosen', ['gate sim-b', '2.00 USD']],
  [
    deviceEvents.gateFeesOffered(),
    'consumer must choose a fee of the gate',
    ['up-a for 0.40 USD', 'up-b for 2.50 USD', 'until 2024-01-01 00:15:00.150Z'],
  ],
  [deviceEvents.gateFeeChosen(), 'fee of the gate chosen', ['up-b', '2.50 USD', 'recorded before the gate is told']],
  [deviceEvents.commissionDiffered(), 'gate held another fee', ['offered 2.00 USD, held 2.01 USD', 'nothing is changed by it']],
  [
    deviceEvents.cardsMapped(),
    'cards mapped',
    ['reference s0sample0reference0c', 'destination d0sample0reference0c', 'acknowledged by the merchant server'],
  ],
  [
    { type: 'CardsMapped', data: mappedAlone },
    'cards mapped',
    ['reference s0sample0reference0c', 'not acknowledged: to be notified again'],
  ],
  [
    { type: 'CardsMapped', data: { ...mappedAlone, isNotificationOff: true } },
    'cards mapped',
    ['reference s0sample0reference0c', 'card notifications are off'],
  ],
  [attemptEvents.started(), 'attempt 1 begun', ['gate sim-a', '10.42 USD', 'recorded before the gate is called']],
  [attemptEvents.approved(), 'gate approved', ['transaction PNTEST-1', 'approval code A1B2C3']],
  [attemptEvents.approved({ approvalCode: '' }), 'gate approved', ['transaction PNTEST-1']],
  [attemptEvents.declined(), 'gate declined', ['code 116 (Not sufficient funds)', 'transaction PNTEST-1']],
  [attemptEvents.declined({ code: 4711 }), 'gate declined', ['code 4711', 'transaction PNTEST-1']],
  [attemptEvents.declinedForAbsence(), 'payer did not come back', ['code 110 (Payer was not authenticated)']],
  [
    attemptEvents.unknown(),
    'outcome unknown',
    ['the gate did not answer in time', 'money may have moved', 'inquired until the gate answers, never submitted again'],
  ],
  [attemptEvents.taken(), 'gate has the attempt', ['order 1000000007 at the gate']],
  [attemptEvents.taken({ session: 'a.b.c' as Sealed }), 'gate has the attempt', ['session [sealed]']],
  [attemptEvents.notAsked({ cause: 'never-heard-of' }), 'nothing charged', ['the gate has no record of it']],
  [attemptEvents.settled(), 'resolved by a person: approved', ['reason [sealed]']],
  [attemptEvents.settled({ as: 'declined' }), 'resolved by a person: declined', ['reason [sealed]']],
  [routingEvents.nextChosen(), 'next attempt chosen', ['gate sim-b', 'amount 1: 10.42 USD']],
  [
    routingEvents.screened({ cardCount: 2, ipCount: 0 }),
    'order screened',
    ['no rule broken', 'BIN 444455', '2 before of this card', '0 before from this address', 'rules rules0of0the0sample'],
  ],
  [
    routingEvents.screened({ brokenRule: 'blocked-bin' }),
    'order screened',
    ['the card’s number range is blocked', 'BIN 444455', 'rules rules0of0the0sample'],
  ],
  [finalEvents.approved(), 'order approved', ['10.42 USD', 'receipt receipt0of0the0sample0ab']],
  [finalEvents.declined(), 'order declined', ['code 116 (Not sufficient funds)']],
  [finalEvents.filtered(), 'order filtered', ['code 120 (Filtered by screening)']],
  [finalEvents.failed(), 'order failed', ['code 122 (No gate could be asked, nothing was charged)', 'nothing was charged']],
  [followUpEvents.accepted(), 'follow-up 1: reversal accepted', ['10.42 USD', 'gate sim-a']],
  [
    followUpEvents.accepted({ number: 2, operation: 'cancel', comment: 'sealed' as never }),
    'follow-up 2: cancel accepted',
    ['10.42 USD', 'gate sim-a', 'comment [sealed]'],
  ],
  [followUpEvents.started(), 'follow-up 1 begun', ['recorded before the gate is called']],
  [
    followUpEvents.unknown(),
    'follow-up 1 unknown',
    ['the gate did not answer in time', 'money may have moved', 'inquired until the gate answers, never submitted again'],
  ],
  [followUpEvents.approved(), 'follow-up 1 approved', ['transaction PNTEST-1', 'approval code A1B2C3']],
  [followUpEvents.declined(), 'follow-up 1 declined', ['code 116 (Not sufficient funds)', 'transaction PNTEST-1']],
  [followUpEvents.failed(), 'follow-up 1 failed', ['code 122 (No gate could be asked, nothing was charged)', 'nothing moved']],
  [followUpEvents.settled(), 'follow-up 1 resolved by a person', ['as approved', 'reason [sealed]']],
  [
    followUpEvents.conflict(),
    'gate contradicts itself on follow-up 1',
    ['recorded failed, gate reports approved', 'transaction PNTEST-1', 'nothing is changed by it'],
  ],
  [
    attemptEvents.started({ chargedBy: 'token' }),
    'attempt 1 begun',
    ['gate sim-a', '10.42 USD', 'by the gate’s own token of the card', 'recorded before the gate is called'],
  ],
  [
    { type: 'GateTokenWanted', data: { gate: 'upstream-a' as GateAlias, attemptKey: 'key-1' as AttemptKey, wantedAt: AT } },
    'gate token wanted',
    ['gate upstream-a', 'recorded before the gate is asked'],
  ],
  [
    { type: 'GateTokenKept', data: { gate: 'upstream-a' as GateAlias, token: '1402817', keptAt: AT } },
    'gate token kept',
    ['gate upstream-a', 'token …817', 'charged there without the card'],
  ],
  [
    { type: 'GateTokenRefused', data: { gate: 'upstream-a' as GateAlias, cause: 'other-card', refusedAt: AT } },
    'no gate token',
    ['gate upstream-a', 'the gate’s token is of another card'],
  ],
  [
    { type: 'NetworkTransactionKept', data: { gate: 'sim-a' as GateAlias, networkTransactionId: 'MCC1234567890615', keptAt: AT } },
    'network transaction kept',
    ['told by gate sim-a', 'id …0615'],
  ],
  [
    {
      type: 'OutcomeReconciled',
      data: {
        attemptKey: ATTEMPT_KEY,
        from: 'approved',
        to: 'declined',
        gate: 'sim-a' as GateAlias,
        amount: { minor: 1_042n, currency: 'USD' as Currency },
        caseId: 'case',
        reason: 'sealed' as Sealed,
        callbacks: [],
        reconciledAt: AT,
      },
    },
    'final status reconciled',
    ['from approved to declined', '10.42 USD', 'as gate sim-a settled it', 'case case', 'reason [sealed]'],
  ],
  [
    {
      type: 'FollowUpReconciled',
      data: {
        number: 1,
        from: 'failed',
        to: 'approved',
        gate: 'sim-a' as GateAlias,
        caseId: 'case',
        reason: 'sealed' as Sealed,
        callbacks: [],
        reconciledAt: AT,
      },
    },
    'follow-up 1 reconciled',
    ['from failed to approved', 'as gate sim-a settled it', 'case case', 'reason [sealed]'],
  ],
  [issued, 'card registered', ['reference p658a47wgsfirs4rvrfc', 'as source', 'card 444455…1111 VISA 12/2030']],
  [
    { type: 'CallbackDelivered', data: { ...identity, tries: 3, status: 200, deliveredAt: AT } },
    'callback delivered',
    ['callback', 'HTTP 200', 'try 3', `webhook-id ${FACT_ID}`],
  ],
  [failed, 'callback failed', ['callback', 'try 2', 'answered HTTP 503', 'again at 2024-01-01 00:00:00.000Z']],
  [
    { type: 'CallbackExhausted', data: { ...identity, tries: 30, failure: { cause: 'timed-out' }, exhaustedAt: AT } },
    'callback given up',
    ['callback', 'after 30 tries', 'no answer in time'],
  ],
  [
    { type: 'CallbackResendRequested', data: { ...identity, reason: 'sealed' as Sealed, requestedAt: AT } },
    'callback to be sent again',
    ['callback', 'reason [sealed]', 'due at once'],
  ],
  [
    disputeEvents.reversal({ operation: 'cancel' }),
    'gate reports a cancel',
    ['10.42 USD', 'case RV-1 of gate sim-a', 'by the gate itself'],
  ],
  [
    disputeEvents.chargeback({ ...REPORT_DETAILS, source: 'operator', isAboveTaken: true }),
    'chargeback',
    [
      '10.42 USD',
      'first stage',
      'case CB-1 of gate sim-a',
      'reason 10.4',
      'happened 2024-01-30 00:00:00.000Z',
      'by an operator',
      'more has gone back than was taken',
    ],
  ],
  [
    disputeEvents.representment({ source: 'file' }),
    'chargeback won',
    ['10.42 USD', 'first stage', 'case CB-1 of gate sim-a', 'by a file of the gate'],
  ],
  [
    disputeEvents.representment({ outcome: 'lost', stage: 'second' }),
    'chargeback lost',
    ['10.42 USD', 'second stage', 'case CB-1 of gate sim-a', 'by the gate itself'],
  ],
  [disputeEvents.fraudWarning(), 'fraud warning', ['no money moved', 'case FW-1 of gate sim-a', 'by the gate itself']],
  [
    disputeEvents.fraudWarning({ amount: sampleOrder().amount }),
    'fraud warning',
    ['10.42 USD', 'no money moved', 'case FW-1 of gate sim-a', 'by the gate itself'],
  ],
  [
    disputeEvents.setAside({ amount: sampleOrder().amount }),
    'chargeback set aside',
    ['it is of more than was taken', '10.42 USD', 'case CB-1 of gate sim-a', 'by the gate itself', 'nothing is changed by it'],
  ],
  [
    { type: 'CardShredded', data: { shreddedAt: AT } },
    'card reference ended',
    ['its card is erased', 'recorded before the card is shredded'],
  ],
  [
    { type: 'LegalHoldPlaced', data: { ...ERASED_ORDER, reason: 'x' as Sealed, placedAt: AT } },
    'legal hold placed',
    ['reason [sealed]', 'nothing is erased until it is released'],
  ],
  [{ type: 'LegalHoldReleased', data: { reason: 'x' as Sealed, releasedAt: AT } }, 'legal hold released', ['reason [sealed]']],
  [
    {
      type: 'ErasureRequested',
      data: { ...ERASED_ORDER, requestId: 'q', cause: 'request', reason: 'x' as Sealed, texts: ['a', 'b'], cards: [], requestedAt: AT },
    },
    'erasure requested',
    ['on request', 'keys of texts: 2', 'cards: 0', 'reason [sealed]', 'request q', 'recorded before anything is destroyed'],
  ],
  [
    { type: 'ErasureRequested', data: { ...ERASED_ORDER, requestId: 'q', cause: 'retention', texts: [], cards: [], requestedAt: AT } },
    'erasure requested',
    ['by age', 'keys of texts: 0', 'cards: 0', 'request q', 'recorded before anything is destroyed'],
  ],
  [{ type: 'Erased', data: { requestId: 'q', erasedAt: AT } }, 'erased', ['request q', 'in the vault, for good']],
];

it('marks what was erased, and the reason of a person never', () => {
  const accepted = { type: 'OrderAccepted', data: sampleOrder() } as const;
  const { customer, details } = sampleOrder();
  expect(describeEvent(accepted, () => true).facts.at(-1)).toBe('customer and details [erased]');
  expect(describeEvent(accepted, (sealed) => sealed === customer && sealed !== details).facts.slice(-2)).toStrictEqual(
    customer === details ? ['endpoint 1001', 'customer and details [erased]'] : ['customer [erased]', 'details [sealed]'],
  );
  expect(describeEvent({ type: 'LegalHoldReleased', data: { reason: 'x' as Sealed, releasedAt: AT } }, () => true).facts).toStrictEqual([
    'reason [sealed]',
  ]);
});

it.each(rows)('describes $type', (event, title, facts) => {
  expect(describeEvent(event)).toMatchObject({ title, facts });
});

it('shows a gate’s text on one line, whatever it is', () => {
  const { facts } = describeEvent(attemptEvents.approved({ approvalCode: 'A\u001b[2J\nB' }));
  expect(facts).toContain('approval code A\\u{1b}[2J\\u{a}B');
});

/** Held against the codecs, so that a category which joins the log later gets words too. */
it('describes every event of the order, card and delivery categories', () => {
  const described = new Set(rows.map(([{ type }]) => type as string).concat('PayerChallenged', 'PayerReturned', 'LateResultConflict'));
  const inOrders = EVENT_CODECS.filter(
    ({ category }) =>
      !['configuration', 'once', 'operator', 'randomSum', 'reconciliation', 'routing', 'screening', 'serial', 'velocity'].includes(
        category,
      ),
  );
  const types = new Set(inOrders.flatMap((codec) => codec.describe().map(({ type }) => type)));
  expect([...types].filter((type) => !described.has(type))).toStrictEqual([]);
});

it('refuses an event of another type', () => {
  const other: AnyEvent = { type: 'SomethingElse', data: {} };
  expect(() => describeEvent(other as TimelineEvent)).toThrow('SomethingElse');
});
