import { afterEffect, eventId, type Revision, type StreamName } from '@app/event-store';
import { isOrderId, type Currency, type MerchantLogin, type OrderId } from '@app/kernel';
import { servesOperation, type Accounts } from '@app/configuration';
import type { ServiceDigests } from '@app/card-vault';
import type { FollowUpAcceptedAnswer, FollowUpPreview, FollowUpRefused, RequestFollowUpHandler } from '@app/orders';
import type { FollowUpKind } from '@app/orders/domain';
import { orderSummary, type FollowUpSummary } from '@app/read-models/queries';
import type { OrderStatusRecord, OrderStatusView } from '@app/read-models';
import type { OperatorAudit } from '../record/operator-audit';
import type { OperatorAction } from '../record/operator-audit.events';
import { act, merchantsAsked, type ActingOperator } from './operator-access';

export interface WantedFollowUp {
  readonly orderId: string;
  readonly kind: FollowUpKind;
  /** `keyDigest` of the key that the caller chose. A request with the same one is the same request. */
  readonly keyDigest: string;
  /** Absent for the whole remaining amount. */
  readonly amountMinor?: bigint;
  /** Absent for the currency of the order. */
  readonly currency?: Currency;
  readonly merchant?: string;
}

type Refused = { readonly reason: 'unknown-order' | 'key-reused' } | Exclude<FollowUpRefused, { readonly reason: 'order-unknown' }>;

export type FollowUpRequestAnswer = { readonly reason: 'accepted'; readonly followUp: FollowUpSummary } | Refused;

interface FollowUpServicePorts {
  readonly handler: Pick<RequestFollowUpHandler, 'handle' | 'preview'>;
  readonly readModel: {
    readonly operatorOrders: {
      byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined>;
    };
  };
  readonly orders: { ofStream(stream: StreamName): Promise<OrderStatusView | undefined> };
  readonly accounts: Pick<Accounts, 'logins' | 'merchant'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

export const FOLLOW_UP_ACTIONS: Readonly<Record<FollowUpKind, Extract<OperatorAction, 'return-order' | 'capture-order' | 'void-order'>>> = {
  return: 'return-order',
  capture: 'capture-order',
  void: 'void-order',
};

const isOtherAmount = ({ amountMinor, currency }: WantedFollowUp, { amount }: FollowUpAcceptedAnswer): boolean =>
  amountMinor !== undefined && (amount.minor !== amountMinor || amount.currency !== (currency ?? amount.currency));

/** Returns, captures and voids by an operator, by the merchant's rules. The merchant receives the outcome as for its own request. */
export class FollowUpService {
  constructor(private readonly ports: FollowUpServicePorts) {}

  /** Keyed, so that no merchant can guess the serial of a follow-up. */
  keyDigest(kind: FollowUpKind, key: string): string {
    return this.ports.digests.onceKey('operator follow-up', [kind, key]);
  }

  /**
   * @param at the only revision of the order at which it is accepted; absent for any
   * @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: a repeat with the same key resolves it
   */
  async request(
    wanted: WantedFollowUp,
    { reason, at }: { readonly reason: string; readonly at?: Revision },
    acting: ActingOperator,
  ): Promise<FollowUpRequestAnswer> {
    const { orderId, kind } = wanted;
    if (!isOrderId(orderId)) return { reason: 'unknown-order' };
    return act(
      this.ports.audit,
      acting,
      { action: FOLLOW_UP_ACTIONS[kind], target: orderId, done: ['accepted'] },
      async (by): Promise<FollowUpRequestAnswer> => {
        const found = await this.#requestOf(wanted, acting);
        if (found.reason !== 'found') return found;
        const { request, stream } = found;
        const answer = await this.ports.handler.handle({ ...request, operator: { by, reason, ...(at !== undefined && { at }) } });
        if (answer.reason === 'order-unknown') return { reason: 'unknown-order' };
        if (answer.reason !== 'accepted') return answer;
        if (isOtherAmount(wanted, answer)) return { reason: 'key-reused' };
        return { reason: 'accepted', followUp: await afterEffect(() => this.#summary(stream, answer)) };
      },
    );
  }

  /** What `request` would accept now, or has accepted under this key. Changes nothing. */
  async preview(
    wanted: WantedFollowUp,
    acting: ActingOperator,
  ): Promise<(FollowUpPreview & { readonly merchant: MerchantLogin }) | FollowUpRequestAnswer> {
    const found = await this.#requestOf(wanted, acting);
    if (found.reason !== 'found') return found;
    const { request, stream } = found;
    const answer = await this.ports.handler.preview(request);
    if (answer.reason === 'order-unknown') return { reason: 'unknown-order' };
    if (answer.reason === 'possible') return { ...answer, merchant: request.merchant };
    if (answer.reason !== 'accepted') return answer;
    return isOtherAmount(wanted, answer) ? { reason: 'key-reused' } : { reason: 'accepted', followUp: await this.#summary(stream, answer) };
  }

  async #requestOf({ orderId, kind, keyDigest, amountMinor, currency, merchant }: WantedFollowUp, { operator }: ActingOperator) {
    const { readModel, accounts } = this.ports;
    const seen = merchantsAsked(operator, accounts.logins, merchant);
    const found = isOrderId(orderId) ? await readModel.operatorOrders.byOrderId(seen, orderId) : undefined;
    if (found === undefined) return { reason: 'unknown-order' as const };
    const { stream, view } = found;
    // As for the merchant itself, one of its entry points must offer the operation.
    if (accounts.merchant(view.merchant)?.endpoints.some((endpoint) => servesOperation(endpoint, kind)) !== true)
      return { reason: 'operation-not-supported' as const };
    const serial = eventId(stream, keyDigest, 0);
    const amount = amountMinor === undefined ? undefined : { minor: amountMinor, currency: currency ?? view.currency };
    const { clientOrderId } = view;
    const request = {
      merchant: view.merchant,
      orderId: view.orderId,
      clientOrderId,
      kind,
      serial,
      ...(amount !== undefined && { amount }),
    };
    return { reason: 'found' as const, request, stream };
  }

  async #summary(stream: StreamName, { number }: FollowUpAcceptedAnswer): Promise<FollowUpSummary> {
    const view = await this.ports.orders.ofStream(stream);
    const followUp = view && orderSummary(view).followUps.find((one) => one.number === number);
    if (followUp === undefined) throw new Error(`${stream}: no follow-up ${number} after it was accepted`);
    return followUp;
  }
}
