import { metadataWriter, streamName, type EventId, type EventMetadata, type Position, type Revision } from '@app/event-store';
import { disputeEvents, REPORT_DETAILS, REPORTED_AT } from '@app/testing';
import { addMs, type AttemptKey, type GateAlias } from '@app/kernel';
import type { DisputeEvent } from '@app/orders/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { acceptedOrder, amountOf, receiptOf, START } from '../testing/sample-orders';
import { collectIdentifiers } from '../order-list/order-search.fold';
import { foldOrderStatus, type OrderEvent } from './order-status.fold';
import type { OrderStatusView } from './order-status.view';
import { viewForReport, viewForRequest } from './view-for-request';

const STREAM = streamName('payment', 'acme', 'order-1');
const KEY = 'attempt-1' as AttemptKey;
const { reversal, chargeback, representment, fraudWarning, setAside } = disputeEvents;

const news = (event: OrderEvent, revision: number): LogEvent<OrderEvent> => {
  const envelope = { correlation: `serial-${revision}`, causation: 'c', actor: 'a', merchant: 'acme', commandId: 'c', recordedAt: START };
  return {
    stream: STREAM,
    category: 'payment',
    id: `event-${revision}` as EventId,
    revision: BigInt(revision) as Revision,
    position: String(revision) as Position,
    event,
    metadata: JSON.parse(metadataWriter(envelope, STREAM)(null, 1)) as EventMetadata,
  };
};

const accepted: OrderEvent = { type: 'OrderAccepted', data: acceptedOrder(1, 'p') };
const approved: readonly OrderEvent[] = [
  accepted,
  {
    type: 'AttemptStarted',
    data: { attemptKey: KEY, number: 1, gate: 'sim-a' as GateAlias, amount: amountOf(1_043n), startedAt: addMs(START, 1) },
  },
  { type: 'AttemptApproved', data: { attemptKey: KEY, receipt: receiptOf(KEY), approvalCode: 'A1', answeredAt: addMs(START, 2) } },
  {
    type: 'OrderApproved',
    data: { attemptKey: KEY, amount: amountOf(1_043n), receiptId: 'receipt', callbacks: ['callback'], approvedAt: addMs(START, 3) },
  },
];
const foldOf = (events: readonly OrderEvent[]): OrderStatusView => {
  const view = events.reduce<OrderStatusView | undefined>((before, event, at) => foldOrderStatus(before, news(event, at)), undefined);
  if (view === undefined) throw new Error('no events');
  return view;
};
const fold = (...reports: readonly DisputeEvent[]): OrderStatusView => foldOf([...approved, ...reports]);
const shownBy = ({ status, transactionType, stage }: OrderStatusView) => [status, transactionType, stage];

describe('order with reports from its gate after approval', () => {
  it.each<[string, readonly DisputeEvent[], string, string]>([
    ['a reversal', [reversal()], 'reversal', 'reversal_approved'],
    ['the release of an authorisation', [reversal({ operation: 'cancel' })], 'cancel', 'cancel_approved'],
    ['a chargeback', [chargeback()], 'chargeback', 'chargeback_approved'],
    ['a chargeback that was lost', [chargeback(), representment({ outcome: 'lost' })], 'chargeback', 'chargeback_approved'],
    ['a chargeback that was won', [chargeback(), representment()], 'chargeback', 'chargeback_rejected'],
    ['its second stage', [chargeback(), representment(), chargeback({ stage: 'second' })], 'chargeback', 'chargeback_approved'],
    ['a fraud warning', [fraudWarning()], 'sale', 'sale_approved'],
    ['a fraud warning after a chargeback', [chargeback(), fraudWarning()], 'chargeback', 'chargeback_approved'],
    ['a report that was set aside', [setAside()], 'sale', 'sale_approved'],
  ])('stays approved, with type and stage of the latest report that moved money: %s [W198]', (_, reports, type, stage) => {
    expect(shownBy(fold(...reports))).toStrictEqual(['approved', type, stage]);
  });

  it('shows the original type and stage to the request that created the order', () => {
    expect(shownBy(viewForRequest(fold(chargeback()), 'serial-0'))).toStrictEqual(['approved', 'sale', 'sale_approved']);
  });

  it('has each report in full, and no reports member before the first report', () => {
    expect(fold()).not.toHaveProperty('reports');
    const { reports } = fold(chargeback({ ...REPORT_DETAILS, isAboveTaken: true, callbacks: ['notify'] }), fraudWarning());
    expect(reports).toStrictEqual([
      {
        kind: 'chargeback',
        gate: 'sim-a',
        reportId: 'CB-1',
        source: 'gate',
        stage: 'first',
        outcome: null,
        amountMinor: '1042',
        currency: 'USD',
        reasonCode: '10.4',
        happenedAt: REPORT_DETAILS.happenedAt,
        receivedAt: REPORTED_AT,
        shown: { transactionType: 'chargeback', stage: 'chargeback_approved' },
        misfit: null,
        isAboveTaken: true,
        callbacks: ['notify'],
        eventId: 'event-4',
      },
      {
        kind: 'fraud-warning',
        gate: 'sim-a',
        reportId: 'FW-1',
        source: 'gate',
        stage: null,
        outcome: null,
        amountMinor: null,
        currency: null,
        reasonCode: null,
        happenedAt: null,
        receivedAt: REPORTED_AT,
        shown: null,
        misfit: null,
        isAboveTaken: false,
        callbacks: [],
        eventId: 'event-5',
      },
    ]);
  });

  it('lists a report that was set aside with its cause, even if the order was never approved', () => {
    const aside = setAside({ kind: 'representment', cause: 'order-not-final', outcome: 'won', stage: 'second' });
    const view = foldOf([accepted, aside]);
    expect(shownBy(view)).toStrictEqual(['processing', 'sale', 'sale_starting']);
    expect(view.reports).toMatchObject([
      { kind: 'representment', misfit: 'order-not-final', outcome: 'won', stage: 'second', shown: null },
    ]);
  });

  it.each([reversal(), chargeback(), representment(), fraudWarning()])('refuses $type before the order is approved', (event) => {
    expect(() => foldOf([accepted, event])).toThrow(CannotApply);
  });
});

describe('viewForReport', () => {
  const viewOf = (...events: readonly DisputeEvent[]): OrderStatusView => {
    const view = fold(...events);
    const report = view.reports?.at(-1);
    if (report === undefined) throw new Error('no report');
    return viewForReport(view, report);
  };

  it('has type, stage, status and amount of the report', () => {
    const part = viewOf(chargeback({ amount: amountOf(7n) }));
    expect([...shownBy(part), part.amountMinor, part.currency]).toStrictEqual([
      'approved',
      'chargeback',
      'chargeback_approved',
      '7',
      amountOf(7n).currency,
    ]);
    expect(shownBy(viewOf(chargeback(), representment()))).toStrictEqual(['declined', 'chargeback', 'chargeback_rejected']);
    expect(shownBy(viewOf(chargeback(), representment({ outcome: 'lost' })))).toStrictEqual([
      'approved',
      'chargeback',
      'chargeback_approved',
    ]);
  });

  it('has the order amount if a fraud warning has no amount', () => {
    const view = viewOf(fraudWarning());
    expect([view.status, view.amountMinor, view.currency]).toStrictEqual(['approved', fold().amountMinor, fold().currency]);
  });
});

it.each([
  [chargeback(), ['CB-1', 'chargeback']],
  [reversal(), ['RV-1', 'reversal']],
  [representment(), ['CB-1', 'representment']],
  [fraudWarning(), ['FW-1', 'fraud-warning']],
  [setAside(), ['CB-1', 'set-aside']],
])('collectIdentifiers finds a report by the case id of the gate, and by its kind: $type', (event, expected) => {
  const found: string[] = [];
  collectIdentifiers(news(event, 4), (identifier) => found.push(identifier));
  expect(found).toStrictEqual(expected);
});
