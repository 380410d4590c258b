import type { Accounts, Operator } from '@app/configuration';
import type { StreamName } from '@app/event-store';
import { isCardRefId, type Deadline, type MerchantLogin, type OrderId } from '@app/kernel';
import { customerOrders, ownerOfCard, type CardOwnerSources, type CustomerOrdersSources } from '@app/read-models/queries';
import type { OrderStatusRecord, OrderStatusView } from '@app/read-models';
import type { EraseOrder, ErasureAnswer, WantedErasure, HoldAnswer, LegalHolds, Obstacle } from '../erasure/erase-order';
import type { ErasedOrder } from '../erasure/domain/erasure';
import type { OperatorAudit } from '../record/operator-audit';
import { act, merchantsAsked, merchantsSeenBy, type ActingOperator } from './operator-access';
import { streamOfOrder } from './order-names';

interface ErasureServicePorts {
  readonly erasing: Pick<EraseOrder, 'erase'>;
  readonly holds: Pick<LegalHolds, 'place' | 'release'>;
  readonly log: CardOwnerSources['log'] & CustomerOrdersSources['log'];
  readonly sealer: CustomerOrdersSources['sealer'];
  readonly readModel: CardOwnerSources['readModel'] & {
    readonly operatorOrders: {
      byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined>;
    };
  };
  readonly orders: { ofStream(stream: StreamName): Promise<OrderStatusView | undefined> };
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

export type Erasing =
  | { readonly reason: 'erased'; readonly requestId: string; readonly texts: number; readonly cards: number }
  | { readonly reason: 'erased-before' }
  | { readonly reason: 'obstructed'; readonly obstacles: readonly (Obstacle | 'card-reference-lives')[] }
  | { readonly reason: 'unknown-order' | 'unknown-card-reference' | 'under-legal-hold' };

/** The answer to a finished erasure. */
export interface Erased {
  /** Identifies the order's events. */
  readonly requestId?: string;
  /** Keys of sealed texts that were destroyed. */
  readonly texts: number;
  /** Cards that were shredded. */
  readonly cards: number;
}

export type Holding = { readonly reason: HoldAnswer | 'unknown-order' };

export interface CustomerFound {
  readonly reason: 'found' | 'unknown-merchant' | 'malformed-after';
  readonly orders: readonly {
    readonly orderId: string;
    readonly clientOrderId: string;
    readonly status: string;
    readonly acceptedAt: string;
  }[];
  /** `after` of the next page, if the log has more events. */
  readonly next?: string;
}

/** Operators' erasures and holds, recorded before they are executed. */
export class ErasureService {
  constructor(private readonly ports: ErasureServicePorts) {}

  eraseOrder(
    orderId: string,
    {
      reason,
      merchant,
      endsReferences = false,
    }: { readonly reason: string; readonly merchant?: string; readonly endsReferences?: boolean },
    acting: ActingOperator,
  ): Promise<Erasing> {
    return act(this.ports.audit, acting, { action: 'erase-order', target: orderId, done: ['erased'] }, async (by): Promise<Erasing> => {
      const stream = await this.#streamOf(orderId, acting.operator, merchant);
      return stream === undefined
        ? { reason: 'unknown-order' }
        : this.#erase(stream, { cause: 'request', what: 'everything', endsReferences, reason, by });
    });
  }

  eraseCard(
    cardRefId: string,
    { reason, merchant }: { readonly reason: string; readonly merchant?: string },
    acting: ActingOperator,
  ): Promise<Erasing> {
    return act(this.ports.audit, acting, { action: 'erase-card', target: cardRefId, done: ['erased'] }, async (by): Promise<Erasing> => {
      const owner = await this.ownerOfCard(cardRefId, merchant, acting);
      return owner === undefined
        ? { reason: 'unknown-card-reference' }
        : this.#erase(owner.stream, { cause: 'request', what: 'cards', card: owner.handle, endsReferences: true, reason, by });
    });
  }

  /** The order that owns the card of a reference, and the card. */
  async ownerOfCard(cardRefId: string, merchant: string | undefined, { operator }: ActingOperator) {
    if (!isCardRefId(cardRefId)) return undefined;
    for (const login of merchantsAsked(operator, this.ports.accounts.logins, merchant)) {
      const owner = await ownerOfCard(this.ports, login, cardRefId);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  hold(orderId: string, asked: { readonly reason: string; readonly merchant?: string }, acting: ActingOperator): Promise<Holding> {
    return act(this.ports.audit, acting, { action: 'place-hold', target: orderId, done: ['placed'] }, (by) =>
      this.#holding(orderId, acting.operator, asked.merchant, (order) => this.ports.holds.place(order, asked.reason, by)),
    );
  }

  release(orderId: string, asked: { readonly reason: string; readonly merchant?: string }, acting: ActingOperator): Promise<Holding> {
    return act(this.ports.audit, acting, { action: 'release-hold', target: orderId, done: ['released'] }, (by) =>
      this.#holding(orderId, acting.operator, asked.merchant, (order) => this.ports.holds.release(order, asked.reason, by)),
    );
  }

  /** An action rather than a query, since it decrypts texts. Only the merchant is recorded, not the person sought. */
  findCustomer(
    { merchant, customer, after }: { readonly merchant: string; readonly customer: string; readonly after?: string },
    acting: ActingOperator,
    deadline: Deadline,
  ): Promise<CustomerFound> {
    return act(
      this.ports.audit,
      acting,
      { action: 'find-customer', target: merchant, done: ['found'] },
      async (): Promise<CustomerFound> => {
        const login = merchantsSeenBy(acting.operator, this.ports.accounts.logins).find((one) => one === merchant);
        if (login === undefined) return { reason: 'unknown-merchant', orders: [] };
        const page = await customerOrders(this.ports, login, customer, after, deadline);
        if (page === undefined) return { reason: 'malformed-after', orders: [] };
        const views = await Promise.all(page.streams.map((stream) => this.ports.orders.ofStream(stream)));
        const orders = views
          .flatMap((view) => (view === undefined ? [] : [view]))
          .map(({ orderId, clientOrderId, status, acceptedAt }) => ({
            orderId,
            clientOrderId,
            status,
            acceptedAt: new Date(acceptedAt).toISOString(),
          }));
        return { reason: 'found', orders, ...(page.next !== undefined && { next: page.next }) };
      },
    );
  }

  async #holding(
    orderId: string,
    operator: Operator,
    merchant: string | undefined,
    decide: (order: ErasedOrder) => Promise<HoldAnswer>,
  ): Promise<Holding> {
    const stream = await this.#streamOf(orderId, operator, merchant);
    const view = stream && (await this.ports.orders.ofStream(stream));
    if (stream === undefined || view === undefined) return { reason: 'unknown-order' };
    return { reason: await decide({ orderStream: stream, orderId: view.orderId, merchant: view.merchant }) };
  }

  #erase(stream: StreamName, wanted: WantedErasure): Promise<ErasureAnswer> {
    return this.ports.erasing.erase(stream, wanted);
  }

  #streamOf(orderId: string, operator: Operator, merchant?: string): Promise<StreamName | undefined> {
    const { readModel, accounts } = this.ports;
    return streamOfOrder(readModel.operatorOrders, merchantsAsked(operator, accounts.logins, merchant), orderId);
  }
}
