import { unreachable } from '@app/kernel';
import type { OrderSealer, CardUidNumbers } from '@app/card-vault';
import { FactMissing, type CallbackFact, type CallbackFacts, type NotificationFact, mappingNotification } from '@app/callbacks';
import {
  metadataOf,
  type EventId,
  type EventMetadata,
  type StoredEvent,
  type StreamName,
  readChained,
  type EventStore,
} from '@app/event-store';
import type { CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { orderTexts, type MappedCards, type OrderContexts } from '@app/orders';
import { SEALED_FIELDS, type CallbackTarget, reasonText } from '@app/orders/domain';
import { viewForFollowUp, viewForReport } from '../order-status/view-for-request';
import type { OrderStatusView, ReportView } from '../order-status/order-status.view';
import { cardDescription, gateDescription, orderAmount } from './order-description';
import type { CurrentOrderReader } from './current-order';
import { decodeAny } from './event-codecs';

type MerchantTarget = Exclude<CallbackTarget, 'notification'>;

/** Reads a callback's content from the order's stream, as of the reported event (protocol decisions, section 6). */
export class StreamCallbackFacts {
  constructor(
    private readonly orders: CurrentOrderReader,
    private readonly sealer: OrderSealer,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Undefined if the order names no address for this target.
   * @throws FactMissing; BrokenChain; errors of store and vault
   */
  async factOf(orderStream: StreamName, factId: EventId, target: MerchantTarget): Promise<CallbackFact | undefined> {
    let fact: EventMetadata | undefined;
    const upTo = (stored: StoredEvent): boolean => {
      if (stored.id !== factId) return false;
      fact = metadataOf(stored);
      return true;
    };
    const view = await this.orders.ofStream(orderStream, { upTo });
    const reported = view === undefined ? undefined : reportedBy(view, factId);
    if (view === undefined || reported === undefined || fact === undefined) throw new FactMissing(orderStream, factId);
    const [details, customer] = await Promise.all([
      orderTexts(this.sealer, { merchant: view.merchant, field: SEALED_FIELDS.details, sealed: view.details }),
      orderTexts(this.sealer, { merchant: view.merchant, field: SEALED_FIELDS.customer, sealed: view.customer }),
    ]);
    const address = this.addressOf(view, target, details);
    if (address === undefined) return undefined;
    return {
      kind: 'callback',
      ...address,
      merchant: view.merchant,
      correlation: reported.serial ?? factId,
      callerTrace: fact.callerTrace,
      recordedAt: fact.recordedAt,
      orderId: view.orderId,
      members: { ...membersOf(reported.view, customer, details), ...reportMembers(reported.report) },
    };
  }

  private addressOf(
    view: OrderStatusView,
    target: MerchantTarget,
    details: ReadonlyMap<string, string>,
  ): Pick<CallbackFact, 'url' | 'source'> | undefined {
    const requestedUrl = details.get(target === 'notify' ? 'notifyUrl' : 'callbackUrl');
    if (requestedUrl !== undefined) return { url: requestedUrl, source: 'request' };
    switch (target) {
      case 'notify':
        return undefined;
      case 'callback': {
        const entryPoint = this.accounts.entryPoint('endpoint', view.endpointId);
        const configured = entryPoint?.kind === 'endpoint' ? entryPoint.endpoint.callbackUrl : undefined;
        return configured === undefined ? undefined : { url: configured, source: 'configuration' };
      }
      default:
        return unreachable(target);
    }
  }
}

/**
 * The order as the reported event shows it. For a follow-up, type, status, reason, receipt and amount are the follow-up's: after a partial
 * return the merchant gets the returned amount.
 */
const reportedBy = (
  view: OrderStatusView,
  factId: EventId,
): { readonly view: OrderStatusView; readonly serial: string | undefined; readonly report?: ReportView } | undefined => {
  if (view.finalEventId === factId) return { view, serial: view.requests[0]?.serial };
  const followUp = view.followUps.find(({ finalEventId }) => finalEventId === factId);
  const report = view.reports?.find(({ eventId }) => eventId === factId);
  // No merchant request caused it, so it is traced to the request that created the order.
  if (report?.misfit === null) return { view: viewForReport(view, report), serial: view.requests[0]?.serial, report };
  if (followUp === undefined) return undefined;
  return { view: { ...viewForFollowUp(view, followUp), amountMinor: followUp.amountMinor }, serial: followUp.serial };
};

const WORDS = {
  reversal: 'reversal',
  chargeback: 'chargeback',
  representment: 'representment_lost',
  'fraud-warning': 'fraud_warning',
} as const satisfies Readonly<Record<ReportView['kind'], string>>;

/** Only in a callback about a report (protocol decisions, section 6). */
const reportMembers = (report: ReportView | undefined): Partial<CallbackMembers> => {
  if (report === undefined) return {};
  const word = report.outcome === 'won' ? 'representment_won' : WORDS[report.kind];
  return {
    ...(report.kind === 'fraud-warning' && { type: word }),
    report: word,
    'report-id': report.reportId,
    'report-stage': report.stage ?? undefined,
    'reason-code': report.reasonCode ?? undefined,
  };
};

/** The members that need no sealed text; the payer's return has some of them. */
export const openMembers = (view: OrderStatusView) => ({
  status: view.status,
  orderid: view.orderId,
  client_orderid: view.clientOrderId,
  type: view.transactionType,
  ...orderAmount(view),
  ...gateDescription(view.gate),
  error_code: view.code === null ? undefined : String(view.code),
  error_message: view.code === null ? undefined : reasonText(view.code),
  'approval-code': view.approvalCode ?? undefined,
  ...cardDescription(view),
  'processor-tx-id': view.receipt?.transactionId,
  'processor-rrn': view.receipt?.rrn,
});

/** Every member is listed, with or without a value: a missing one does not compile. */
const membersOf = (
  view: OrderStatusView,
  customer: ReadonlyMap<string, string>,
  details: ReadonlyMap<string, string>,
): Required<CallbackMembers> => ({
  ...openMembers(view),
  name: customer.get('holder'),
  email: customer.get('email'),
  phone: customer.get('phone'),
  'card-holder-name': customer.get('holder'),
  merchantdata: details.get('merchantData'),
  report: undefined,
  'report-id': undefined,
  'report-stage': undefined,
  'reason-code': undefined,
});

/** Reads a card notification's content from the order's stream (interface, section 4.8). */
export class StreamNotificationFacts {
  constructor(
    private readonly store: EventStore,
    private readonly contexts: Pick<OrderContexts, 'open'>,
    private readonly vault: Pick<OrderSealer, 'unseal'> & Pick<CardUidNumbers, 'uidNumber'>,
  ) {}

  /**
   * Undefined once the order's texts were erased.
   * @throws FactMissing if this is no final event of an order with mapped cards
   */
  async factOf(orderStream: StreamName, factId: EventId): Promise<NotificationFact | undefined> {
    const cards = await this.cardsAt(orderStream, factId);
    if (cards === undefined) throw new FactMissing(orderStream, factId);
    const open = await this.contexts.open(orderStream);
    const notification = await mappingNotification(open, cards, this.vault);
    if (notification === undefined) return undefined;
    const { correlation, callerTrace } = open;
    const { merchant, orderId } = open.order;
    return { kind: 'notification', merchant, correlation, callerTrace, orderId, notification };
  }

  private async cardsAt(orderStream: StreamName, factId: EventId): Promise<MappedCards | undefined> {
    let cards: MappedCards | undefined;
    for await (const stored of readChained(this.store, orderStream)) {
      const event = decodeAny(stored);
      if (event?.type === 'CardsMapped') cards = event.data as MappedCards;
      if (stored.id === factId) return event?.type === 'OrderApproved' ? cards : undefined;
    }
    return undefined;
  }
}

export const deliveryFacts = (callbacks: StreamCallbackFacts, notifications: StreamNotificationFacts): CallbackFacts => ({
  factOf: (orderStream, factId, target) =>
    target === 'notification' ? notifications.factOf(orderStream, factId) : callbacks.factOf(orderStream, factId, target),
});
