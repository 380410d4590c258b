import { BoundedMap, type ClientOrderId, type Deadline, type MerchantLogin, type Money } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { deviceVerificationCodec, deviceVerificationStream } from '@app/device-verification';
import type { DeviceVerificationEvent } from '@app/device-verification/events';
import { assertFollows, type EventStore, type Revision, type StoredEvent, type StreamName } from '@app/event-store';
import { isSameSecret, type DeviceOperation } from '@app/gateway-protocol';
import { sessionDigest } from '@app/orders';
import type { AcceptedDeviceOrder, SessionDigest } from '@app/orders/domain';
import { transferCodec, transferStream } from '@app/transfer';
import type { TransferEvent } from '@app/transfer/events';
import { foldOrderStatus } from '../order-status/order-status.fold';
import { logEventOf } from '../engine/log-event';
import type { OrderStatusView } from '../order-status/order-status.view';

/** A device order, read from its stream (architecture, rule 10). */
export interface DeviceOrderSeen {
  readonly stream: StreamName;
  readonly view: OrderStatusView;
  readonly accepted: AcceptedDeviceOrder;
  readonly fees?: readonly OfferedFee[];
  readonly isFeeChosen?: boolean;
}

interface OfferedFee {
  readonly assignedId: string;
  readonly commission: Money;
}

/** The session of the perform, which authorises an app in addition to the path (interface, section 4.2). */
export interface NamedSession {
  readonly accessToken: string;
  readonly token: string;
}

type DeviceEvent = DeviceVerificationEvent | TransferEvent;

interface Kind {
  readonly streamOf: (merchant: MerchantLogin, invoiceId: ClientOrderId) => StreamName;
  readonly decode: (stored: StoredEvent) => DeviceEvent;
}

const VERIFICATION: Kind = { streamOf: deviceVerificationStream, decode: (stored) => deviceVerificationCodec.decode(stored) };
const TRANSFER: Kind = { streamOf: transferStream, decode: (stored) => transferCodec.decode(stored) };

/** A sale and a transfer of one invoice are one order; its plan contains the operation. */
const KINDS: Readonly<Record<DeviceOperation, Kind>> = { verification: VERIFICATION, sale: TRANSFER, transfer: TRANSFER };

const PLANNED = { verification: 'account-verification', sale: 'sale', transfer: 'transfer' } as const satisfies Readonly<
  Record<DeviceOperation, OrderStatusView['operation']>
>;

/** Cache limit; the least recently queried order is removed first. */
const FOLDED_ORDERS_MAX = 1_000;

/** Lifetime of the session's token (protocol decisions, section 8). */
export const SESSION_LIFE_MS = 86_400_000;

/** Keeps timing equal: a lookup runs even for an unknown endpoint, and a comparison even without an order (safety, T10). */
const NOBODY = '' as MerchantLogin;
const DIGEST_OF_NOBODY = '0'.repeat(64) as SessionDigest;

const seen = (before: DeviceOrderSeen | undefined, stream: StreamName, stored: StoredEvent, event: DeviceEvent): DeviceOrderSeen => {
  const view = foldOrderStatus(before?.view, logEventOf(stored, event));
  if (event.type === 'OrderAccepted') return { stream, view, accepted: event.data };
  if (before === undefined) throw new Error(`${stream}: ${event.type} before OrderAccepted`);
  // Only fees: the view covers all other changes.
  if (event.type === 'FeesOffered')
    return { ...before, view, fees: event.data.offers.map(({ gate: assignedId, commission }) => ({ assignedId, commission })) };
  if (event.type === 'GateFeesOffered')
    return { ...before, view, fees: event.data.offers.map(({ option: assignedId, commission }) => ({ assignedId, commission })) };
  const isChoice = event.type === 'FeeChosen' || event.type === 'GateFeeChosen';
  return isChoice ? { ...before, view, isFeeChosen: true } : { ...before, view };
};

interface Folded {
  readonly order: DeviceOrderSeen;
  readonly newest: StoredEvent;
}

/**
 * Device orders for the holder of their session. An app polls until the state is final, so each query applies only new events to the cached
 * view.
 */
export class DeviceOrders {
  readonly #folded = new BoundedMap<StreamName, Folded>(FOLDED_ORDERS_MAX);

  constructor(
    private readonly store: EventStore,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /**
   * Undefined for any mismatch: unknown or foreign invoice, other endpoint or operation, wrong or expired session. The caller cannot
   * distinguish them (protocol decisions, section 8).
   * @throws StoreUnavailable, BrokenChain
   */
  async find(
    operation: DeviceOperation,
    named: { readonly merchant: MerchantLogin | undefined; readonly endpointId: string; readonly invoiceId: string },
    session: NamedSession,
    now: number,
    deadline?: Deadline,
  ): Promise<DeviceOrderSeen | undefined> {
    const kind = KINDS[operation];
    const order = await this.read(kind, named.merchant ?? NOBODY, named.invoiceId as ClientOrderId, deadline);
    const digest = sessionDigest(this.digests, session.accessToken, session.token);
    const isOfSession = isSameSecret(order?.accepted.sessionDigest ?? DIGEST_OF_NOBODY, digest);
    if (order === undefined || !isOfSession) return undefined;
    const { endpointId, plan, acceptedAt } = order.accepted;
    const isNamed = endpointId === named.endpointId && plan.operation === PLANNED[operation];
    return isNamed && now < acceptedAt + SESSION_LIFE_MS ? order : undefined;
  }

  private async read(
    { streamOf, decode }: Kind,
    merchant: MerchantLogin,
    invoiceId: ClientOrderId,
    deadline: Deadline | undefined,
  ): Promise<DeviceOrderSeen | undefined> {
    const stream = streamOf(merchant, invoiceId);
    const before = this.#folded.get(stream);
    const from = (before && before.newest.revision + 1n) as Revision | undefined;
    let folded = before;
    for await (const stored of this.store.read(stream, from, deadline)) {
      assertFollows(stored, folded?.newest);
      folded = { order: seen(folded?.order, stream, stored, decode(stored)), newest: stored };
    }
    if (folded?.order.view.finalEventId === null) this.#folded.set(stream, folded);
    else this.#folded.delete(stream);
    return folded?.order;
  }
}
