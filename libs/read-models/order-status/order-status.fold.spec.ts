import { metadataWriter, streamName, type EventId, type EventMetadata, type Position, type Revision } from '@app/event-store';
import { addMs, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import { CannotApply } from '../engine/faults';
import { foldOnto, type Folded } from '../engine/folded-table';
import type { LogEvent } from '../engine/log-event';
import { acceptedOrder, amountOf, cardRefIdOf, paymentAccepted, receiptOf, recurrentAccepted, START } from '../testing/sample-orders';
import { foldOrderStatus, type OrderEvent } from './order-status.fold';
import type { OrderStatusView } from './order-status.view';

const STREAM = streamName('payment', 'acme', 'order-1');
const KEY = 'attempt-1' as AttemptKey;
const SECOND = 'attempt-2' as AttemptKey;
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);
const recordedAt = (revision: number): Instant => addMs(START, revision);

const news = (event: OrderEvent, revision: number, category = 'payment'): LogEvent<OrderEvent> => {
  const envelope = { correlation: `serial-${revision}`, causation: 'c', actor: 'a', merchant: 'acme', commandId: 'c' };
  const metadata = metadataWriter({ ...envelope, recordedAt: recordedAt(revision) }, STREAM)(null, 1);
  return {
    stream: STREAM,
    category,
    id: `event-${revision}` as EventId,
    revision: BigInt(revision) as Revision,
    position: String(revision) as Position,
    event,
    metadata: JSON.parse(metadata) as EventMetadata,
  };
};

const foldOf = (category: string, events: readonly OrderEvent[]): OrderStatusView => {
  const folded = events.reduce<Folded<OrderStatusView> | undefined>(
    (before, event, index) => foldOnto(foldOrderStatus, before, news(event, index, category)),
    undefined,
  );
  if (folded === undefined) throw new Error('no events');
  return folded.view;
};
const fold = (...events: readonly OrderEvent[]): OrderStatusView => foldOf('payment', events);

const accepted = paymentAccepted(1);
const chain = paymentAccepted(1, ['sim-a', 'sim-b']);
const started = (attemptKey = KEY, gate = 'sim-a', second = 1): OrderEvent => ({
  type: 'AttemptStarted',
  data: {
    attemptKey,
    number: attemptKey === KEY ? 1 : 2,
    gate: gate as GateAlias,
    amount: amountOf(1_043n),
    issuer: { cardType: 'VISA' },
    startedAt: at(second),
  },
});
const approved = (attemptKey = KEY): OrderEvent => ({
  type: 'AttemptApproved',
  data: {
    attemptKey,
    receipt: { ...receiptOf(attemptKey), payerAuthentication: 'AUTHENTICATED', eci: '05' },
    approvalCode: 'A1',
    answeredAt: at(2),
  },
});
const declined = (attemptKey = KEY): OrderEvent => ({
  type: 'AttemptDeclined',
  data: { attemptKey, code: 100, by: 'gate', receipt: receiptOf(attemptKey), advice: 'ask your bank', answeredAt: at(2) },
});
const absent: OrderEvent = { type: 'AttemptDeclined', data: { attemptKey: KEY, code: 110, by: 'payer-absent', answeredAt: at(900) } };
const unknown: OrderEvent = { type: 'AttemptUnknown', data: { attemptKey: KEY, cause: 'timeout', answeredAt: at(2) } };
const notAsked: OrderEvent = { type: 'AttemptNotAsked', data: { attemptKey: KEY, cause: 'unavailable', answeredAt: at(2) } };
const page = 'sealed page' as Sealed;
const challenged: OrderEvent = {
  type: 'PayerChallenged',
  data: { attemptKey: KEY, transactionId: 'PNTEST-1', page, payerDueAt: at(900), answeredAt: at(2) },
};
const returned: OrderEvent = { type: 'PayerReturned', data: { attemptKey: KEY, returnedAt: at(3) } };
const orderApproved: OrderEvent = {
  type: 'OrderApproved',
  data: { attemptKey: KEY, amount: amountOf(1_043n), receiptId: 'receipt', callbacks: ['callback', 'notify'], approvedAt: at(4) },
};
const orderDeclined = (code: number): OrderEvent => ({ type: 'OrderDeclined', data: { code, callbacks: ['callback'], declinedAt: at(4) } });
const orderFiltered: OrderEvent = { type: 'OrderFiltered', data: { code: 120, callbacks: [], filteredAt: at(4) } };
const orderFailed = (code: 121 | 122): OrderEvent => ({ type: 'OrderFailed', data: { code, callbacks: [], failedAt: at(4) } });
const next = (gate: string, amountNumber = 1, minor = 1_043n): OrderEvent => ({
  type: 'NextAttemptChosen',
  data: { gate: gate as GateAlias, amountNumber, amount: amountOf(minor), chosenAt: at(2) },
});
const settled = (as: 'approved' | 'declined'): OrderEvent => ({
  type: 'AttemptSettled',
  data: { attemptKey: KEY, as, reason: 'sealed reason' as Sealed, settledAt: at(3_600) },
});
const screened = (brokenRule?: 'blocked-ip'): OrderEvent => ({
  type: 'OrderScreened',
  data: { rulesVersion: 'rules', bin: '444433', amounts: [amountOf(1_043n)], ...(brokenRule && { brokenRule }), screenedAt: at(1) },
});
const conflict: OrderEvent = {
  type: 'LateResultConflict',
  data: { attemptKey: KEY, believed: 'declined', told: 'approved', transactionId: 'late', toldAt: at(5) },
};

const order = acceptedOrder(1, 'p');
const [gate] = order.plan.gates;
const asAccepted: OrderStatusView = {
  merchant: order.merchant,
  kind: 'payment',
  clientOrderId: order.clientOrderId,
  orderId: order.orderId,
  endpointId: order.endpointId,
  operation: 'sale',
  status: 'processing',
  stage: 'sale_starting',
  transactionType: 'sale',
  currency: order.amount.currency,
  amountMinor: '1043',
  initialAmountMinor: '1043',
  card: order.card,
  destination: null,
  cardRefId: null,
  mapped: null,
  customer: order.customer,
  details: order.details,
  gates: order.plan.gates,
  gate: null,
  attemptKey: null,
  attempts: 0,
  issuer: null,
  receipt: null,
  commissionMinor: null,
  randomSum: null,
  approvalCode: null,
  receiptId: null,
  payer: null,
  acceptedAt: START,
  processingAt: null,
  finalAt: null,
  code: null,
  advice: null,
  requests: [{ serial: 'serial-0' as never, operation: 'sale', eventId: 'event-0' as EventId }],
  callbacks: [],
  finalEventId: null,
  conflicts: 0,
  followUps: [],
};
const asStarted: OrderStatusView = {
  ...asAccepted,
  stage: 'sale_filtering',
  gate,
  attemptKey: KEY,
  attempts: 1,
  issuer: { cardType: 'VISA' },
  processingAt: at(1),
};
const asFiltered: OrderStatusView = {
  ...asAccepted,
  status: 'filtered',
  stage: 'sale_filtered',
  code: 120,
  finalAt: at(4),
  finalEventId: 'event-1' as EventId,
};
const asInterrupted: OrderStatusView = { ...asFiltered, status: 'error', stage: 'sale_error', code: 121 };

describe('foldOrderStatus', () => {
  it('starts with the acceptance', () => expect(fold(accepted)).toStrictEqual(asAccepted));

  it('gives a recurrent payment its kind and its card reference', () => {
    const { orderId } = acceptedOrder(1, 'r');
    expect(foldOf('recurring', [recurrentAccepted(1)])).toStrictEqual({
      ...asAccepted,
      kind: 'recurring',
      orderId,
      cardRefId: cardRefIdOf(1),
    });
  });

  it('is filtering until the first answer of the gate [W350]', () => expect(fold(accepted, started())).toStrictEqual(asStarted));

  it('shows the data from the gate once the order is approved', () => {
    expect(fold(accepted, started(), approved(), orderApproved)).toStrictEqual({
      ...asStarted,
      status: 'approved',
      stage: 'sale_approved',
      receipt: { ...receiptOf(KEY), payerAuthentication: 'AUTHENTICATED', eci: '05' },
      approvalCode: 'A1',
      receiptId: 'receipt',
      finalAt: at(4),
      callbacks: ['callback', 'notify'],
      finalEventId: 'event-3',
    });
  });

  it('shows reason and advice once the order is declined', () => {
    expect(fold(accepted, started(), declined(), orderDeclined(100))).toStrictEqual({
      ...asStarted,
      status: 'declined',
      stage: 'sale_declined',
      receipt: receiptOf(KEY),
      advice: 'ask your bank',
      code: 100,
      finalAt: at(4),
      callbacks: ['callback'],
      finalEventId: 'event-3',
    });
  });

  it('shows the approved amount and the requested one [W50, W237, W362]', () => {
    const lesser = { ...orderApproved, data: { ...orderApproved.data, amount: amountOf(500n) } } as OrderEvent;
    const { amountMinor, initialAmountMinor } = fold(accepted, started(), approved(), lesser);
    expect({ amountMinor, initialAmountMinor }).toStrictEqual({ amountMinor: '500', initialAmountMinor: '1043' });
  });

  it('shows the amount of the current attempt and the requested one [W237]', () => {
    const second = { ...started(SECOND), data: { ...started(SECOND).data, amount: amountOf(500n) } } as OrderEvent;
    const { amountMinor, initialAmountMinor } = fold(chain, started(), declined(), next('sim-a', 2, 500n), second);
    expect({ amountMinor, initialAmountMinor }).toStrictEqual({ amountMinor: '500', initialAmountMinor: '1043' });
  });

  it('shows an outcome that an operator resolved, without gate data', () => {
    const { status, receipt, approvalCode, receiptId } = fold(accepted, started(), unknown, settled('approved'), orderApproved);
    expect({ status, receipt, approvalCode, receiptId }).toStrictEqual({
      status: 'approved',
      receipt: null,
      approvalCode: null,
      receiptId: 'receipt',
    });
  });

  const reconciled = (to: 'approved' | 'declined', amountMinor = 1_043n): OrderEvent => ({
    type: 'OutcomeReconciled',
    data: {
      attemptKey: KEY,
      from: to === 'approved' ? 'declined' : 'approved',
      to,
      amount: amountOf(amountMinor),
      caseId: 'case',
      gate: 'sim-a' as GateAlias,
      reason: 'sealed' as Sealed,
      callbacks: ['notify'],
      reconciledAt: at(60),
      ...(to === 'approved' && { receiptId: 'receipt-2' }),
    },
  });

  it('changes the final status after a reconciliation, with a new final event and its own callbacks', () => {
    const undone = fold(accepted, started(), approved(), orderApproved, reconciled('declined'));
    const changed = { finalAt: at(60), finalEventId: 'event-4', callbacks: ['notify'] };
    expect(undone).toMatchObject({ ...changed, status: 'declined', stage: 'sale_declined', code: 100, receiptId: null });
    const done = fold(accepted, started(), declined(), orderDeclined(100), reconciled('approved', 500n));
    expect(done).toMatchObject({
      ...changed,
      status: 'approved',
      stage: 'sale_approved',
      code: null,
      receiptId: 'receipt-2',
      amountMinor: '500',
    });
  });

  it('refuses a reconciliation before the order is final', () => {
    expect(() => fold(accepted, started(), reconciled('approved'))).toThrow('OutcomeReconciled of an order that is processing');
  });

  it('ends filtered before any request to a gate', () => expect(fold(accepted, orderFiltered)).toStrictEqual(asFiltered));

  it('ends in error 121 if the order was interrupted before a request to a gate', () =>
    expect(fold(accepted, orderFailed(121))).toStrictEqual(asInterrupted));

  it('ends in error 122 if no gate could be reached', () => {
    expect(fold(accepted, started(), notAsked, orderFailed(122))).toStrictEqual({
      ...asStarted,
      status: 'error',
      stage: 'sale_error',
      code: 122,
      finalAt: at(4),
      finalEventId: 'event-3',
    });
  });
});

describe('stages of an order [W189]', () => {
  const stages = (...events: readonly OrderEvent[]): readonly string[] =>
    events.map((_, index) => {
      const { status, stage } = fold(...(events.slice(0, index + 1) as [OrderEvent]));
      return `${status} ${stage}`;
    });

  it('of a 3-D Secure sale: starting, filtering, 3d_validating, 3d_validated, processing, approved [W195]', () => {
    expect(stages(accepted, started(), challenged, returned, approved(), orderApproved)).toStrictEqual([
      'processing sale_starting',
      'processing sale_filtering',
      'processing sale_3d_validating',
      'processing sale_3d_validated',
      'processing sale_processing',
      'approved sale_approved',
    ]);
  });

  it.each([
    ['sale', 'sale', 'sale'],
    ['preauth', 'preauth', 'auth'],
    ['account-verification', 'account_verification', 'av'],
  ] as const)('of a %s: transaction-type %s, order-stage %s [W193]', (operation, transactionType, word) => {
    const { plan } = accepted.data;
    const ordered: OrderEvent = { type: 'OrderAccepted', data: { ...accepted.data, plan: { ...plan, operation } } };
    const lived = [ordered, started(), unknown, approved(), orderApproved];
    expect(stages(...lived)).toStrictEqual([
      `processing ${word}_starting`,
      `processing ${word}_filtering`,
      `unknown ${word}_unknown`,
      `processing ${word}_processing`,
      `approved ${word}_approved`,
    ]);
    expect(fold(...lived).transactionType).toBe(transactionType);
  });

  it('after an unknown outcome that an inquiry resolves: unknown, processing, approved [W197]', () => {
    expect(stages(accepted, started(), unknown, approved(), orderApproved)).toStrictEqual([
      'processing sale_starting',
      'processing sale_filtering',
      'unknown sale_unknown',
      'processing sale_processing',
      'approved sale_approved',
    ]);
  });

  it('with the time since which its outcome is unknown, until it is known', () => {
    const lived = [accepted, started(), unknown] as const;
    expect(fold(...lived).unknownSince).toBe(at(2));
    for (const next of [approved(), challenged, settled('declined')]) expect(fold(...lived, next)).not.toHaveProperty('unknownSince');
  });

  it('after an unknown outcome, if the gate then requires authentication: unknown, 3d_validating', () => {
    expect(stages(accepted, started(), unknown, challenged).slice(2)).toStrictEqual([
      'unknown sale_unknown',
      'processing sale_3d_validating',
    ]);
  });

  it('of a cascade: chain_declined between the gates [W196, W360]', () => {
    const lived = [chain, started(), declined(), next('sim-b'), started(SECOND, 'sim-b', 3), approved(SECOND), orderApproved];
    expect(stages(...lived)).toStrictEqual([
      'processing sale_starting',
      'processing sale_filtering',
      'processing sale_processing',
      'chain_declined sale_chain_declined',
      'processing sale_processing',
      'processing sale_processing',
      'approved sale_approved',
    ]);
  });

  it('of a cascade: chain_declined after a gate that could not be reached', () => {
    expect(stages(chain, started(), notAsked, next('sim-b'))[3]).toBe('chain_declined sale_chain_declined');
  });

  it('of several amounts: processing between them, back at the first gate', () => {
    expect(stages(chain, started(), declined(), next('sim-a', 2, 500n), started(SECOND)).slice(3)).toStrictEqual([
      'processing sale_processing',
      'processing sale_processing',
    ]);
  });

  it('of a screened order: unchanged by the screening, and filtered if a rule was broken [W197]', () => {
    expect(stages(accepted, screened(), started()).slice(1)).toStrictEqual(['processing sale_starting', 'processing sale_filtering']);
    expect(stages(accepted, screened('blocked-ip'), orderFiltered).slice(1)).toStrictEqual([
      'processing sale_starting',
      'filtered sale_filtered',
    ]);
  });

  it('after an unknown outcome that an operator resolves: processing and approved, or declined', () => {
    expect(stages(accepted, started(), unknown, settled('approved'), orderApproved).slice(2)).toStrictEqual([
      'unknown sale_unknown',
      'processing sale_processing',
      'approved sale_approved',
    ]);
    expect(stages(accepted, started(), unknown, settled('declined'), orderDeclined(100)).at(-1)).toBe('declined sale_declined');
  });

  it('at the last gate of a routing plan: declined, never chain_declined', () => {
    expect(stages(accepted, started(), declined(), orderDeclined(100)).slice(2)).toStrictEqual([
      'processing sale_processing',
      'declined sale_declined',
    ]);
  });
});

describe('foldOrderStatus with gate data', () => {
  it('includes the payer page only while authentication is pending [W217]', () => {
    const payer = { attemptKey: KEY, page, payerDueAt: at(900) };
    const receipt = { transactionId: 'PNTEST-1' };
    const { status, stage } = { status: 'processing', stage: 'sale_3d_validating' } as const;
    expect(fold(accepted, started(), challenged)).toStrictEqual({ ...asStarted, status, stage, payer, receipt });
    expect(fold(accepted, started(), challenged, returned).payer).toBeNull();
    expect(fold(accepted, started(), challenged, approved()).payer).toBeNull();
    expect(fold(accepted, started(), challenged, absent, orderDeclined(110)).payer).toBeNull();
  });

  it('keeps the transaction id of the challenge if the payer never returns', () => {
    const { status, code, receipt, advice } = fold(accepted, started(), challenged, absent, orderDeclined(110));
    expect({ status, code, receipt, advice }).toStrictEqual({
      status: 'declined',
      code: 110,
      receipt: { transactionId: 'PNTEST-1' },
      advice: null,
    });
  });

  it('shows data of the latest attempt, so that the second gate is not shown with data of the first [W212]', () => {
    const view = fold(chain, started(), declined(), next('sim-b'), started(SECOND, 'sim-b', 3));
    expect(view).toMatchObject({
      receipt: null,
      advice: null,
      approvalCode: null,
      attempts: 2,
      attemptKey: SECOND,
      gate: { alias: 'sim-b' },
    });
    expect(view.processingAt).toBe(at(1));
  });

  it('counts one attempt if its claim was renewed before the request was sent', () => {
    const renewed = started(KEY, 'sim-a', 9);
    expect(fold(accepted, started(), renewed)).toStrictEqual(fold(accepted, started()));
    expect(fold(accepted, started(), renewed, approved()).attempts).toBe(1);
  });

  it('counts a late outcome of an earlier attempt as a conflict, and changes nothing else', () => {
    const events = [accepted, started(), declined(), started(SECOND)] as const;
    expect(fold(...events, conflict)).toStrictEqual({ ...fold(...events), conflicts: 1 });
  });

  it('keeps the final state if a late outcome contradicts it, and counts the conflict [W190]', () => {
    const before = fold(accepted, started(), declined(), orderDeclined(100));
    const after = fold(accepted, started(), declined(), orderDeclined(100), conflict);
    expect(after).toStrictEqual({ ...before, conflicts: 1 });
  });
});

describe('foldOrderStatus refuses', () => {
  const refused = (...events: readonly OrderEvent[]): void => expect(() => fold(...events)).toThrow(CannotApply);

  it('an event before the acceptance', () => refused(started()));
  it('a second acceptance', () => refused(accepted, accepted));
  it('a second final event', () => refused(accepted, orderFiltered, orderFailed(121)));
  it('an attempt after the final event', () => refused(accepted, started(), approved(), orderApproved, started(SECOND)));
  it('the outcome of an earlier attempt', () =>
    refused(chain, started(), declined(), next('sim-b'), started(SECOND, 'sim-b'), approved(KEY)));
  it('a gate that the plan does not have', () => refused(accepted, started(KEY, 'sim-x')));

  it('an event with an error that contains no data of the event', () => {
    expect(() => fold(accepted, started(KEY, 'sim-x'))).toThrow('AttemptStarted at a gate that the plan does not have');
  });

  it('an event after a gap, and ignores an event applied before', () => {
    const before = foldOnto(foldOrderStatus, undefined, news(accepted, 0));
    expect(() => foldOnto(foldOrderStatus, before, news(approved(), 2))).toThrow(new CannotApply('revision 1 is missing before 2'));
    expect(() => foldOnto(foldOrderStatus, undefined, news(started(), 1))).toThrow(new CannotApply('revision 0 is missing before 1'));
    expect(foldOnto(foldOrderStatus, before, news(accepted, 0))).toBe(before);
  });
});
