import type { OrderSealer } from '@app/card-vault';
import { metadataOf, readChained, runDecision, type Actor, type EventStore } from '@app/event-store';
import type { Clock, Ids, MerchantLogin } from '@app/kernel';
import { deliveryCodec, isDeliveryKey, parseDeliveryKey, deliveryStream } from './delivery.codec';
import { delivery, type DeliveryIdentity } from '../domain/delivery';

/** Bound into the ciphertext of a reason. */
export const RESEND_REASON = 'resend-reason';

export interface ResendRequest {
  /** `<webhook-id>:<target>`, as `deliveryKey` writes it. */
  readonly deliveryId: string;
  readonly reason: string;
  readonly by: Actor;
  /** A delivery of another merchant is unknown. Absent: all. */
  readonly merchants?: readonly MerchantLogin[] | undefined;
  /** Requests with the same text are one request. Absent: each is a new one. */
  readonly once?: string;
}

/** `due-already`: the next attempt is due anyway. `unknown-delivery`: no attempt is recorded, so there is nothing to repeat. */
export type ResendAnswer =
  | { readonly reason: 'requested' | 'due-already'; readonly merchant: MerchantLogin; readonly delivery: DeliveryIdentity }
  | { readonly reason: 'unknown-delivery' };

export interface ResendCallbackPorts {
  readonly store: EventStore;
  readonly sealer: OrderSealer;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Resends a callback for an operator, even if delivered or exhausted; the event records who and why (safety, F30 and T43). */
export class ResendCallback {
  readonly #ports: ResendCallbackPorts;

  constructor(ports: ResendCallbackPorts) {
    this.#ports = ports;
  }

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable, BrokenChain */
  async resend({ deliveryId, reason, by, merchants, once }: ResendRequest): Promise<ResendAnswer> {
    const { store, sealer, clock, ids } = this.#ports;
    const known = await this.#known(deliveryId);
    if (known === undefined || merchants?.includes(known.merchant) === false) return { reason: 'unknown-delivery' };
    const { identity, merchant, correlation, callerTrace } = known;
    const key = await sealer.takeKey();
    const now = clock.now();
    const sealed = key.seal(merchant, RESEND_REASON, reason);
    const result = await runDecision({
      store,
      codec: deliveryCodec,
      decider: delivery,
      stream: deliveryStream(identity.factId, identity.target),
      command: { type: 'RequestResend', data: { delivery: identity, reason: sealed, now } },
      envelope: { correlation, callerTrace, causation: identity.factId, ...by, merchant, commandId: once ?? ids.next(), recordedAt: now },
    });
    return { reason: result.kind === 'appended' ? 'requested' : 'due-already', merchant, delivery: identity };
  }

  /** The first recorded attempt contains the order's stream, and its envelope contains the merchant. */
  async #known(deliveryId: string) {
    if (!isDeliveryKey(deliveryId)) return undefined;
    const { factId, target } = parseDeliveryKey(deliveryId);
    for await (const stored of readChained(this.#ports.store, deliveryStream(factId, target))) {
      const { orderStream } = deliveryCodec.decode(stored).data;
      const { merchant, correlation, callerTrace } = metadataOf(stored);
      return { identity: { factId, target, orderStream }, merchant: merchant as MerchantLogin, correlation, callerTrace };
    }
    return undefined;
  }
}
