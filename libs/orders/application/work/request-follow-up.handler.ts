import type { ClientOrderId, Clock, Deadline, EndpointId, Failpoints, Instant, MerchantLogin, Money, OrderId, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import {
  followedOrder,
  isEventOf,
  SEALED_FIELDS,
  type FollowUpCapabilities,
  type FollowUpKind,
  type FollowUpRefusal,
  type Processing,
} from '../../domain';
import type { OrderContexts } from '../order-context';
import { requestEnvelope, type NamedRequest } from '../acceptance/accept-order';

/** A repeated serial is the same request. */
export interface FollowUpRequested extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly kind: FollowUpKind;
  readonly amount?: Money;
  readonly comment?: string;
}

export interface FollowUpAcceptedAnswer {
  readonly reason: 'accepted';
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
  readonly number: number;
}

/** `gate-not-configured`: the approving gate is no longer connected. */
export type FollowUpRefused = FollowUpRefusal | { readonly reason: 'order-unknown' | 'gate-not-configured' };

export interface RequestFollowUpPorts {
  readonly contexts: OrderContexts;
  readonly gates: Gates;
  readonly sealer: OrderSealer;
  readonly clock: Clock;
  readonly failpoints: Failpoints;
}

type FollowedGate = 'none' | 'not-configured' | { readonly gate: Gate; readonly approvedAt: Instant };

const capabilitiesOf = (followed: FollowedGate): FollowUpCapabilities => {
  if (typeof followed === 'string') return { canCapture: false, canReturn: false };
  const { capturing, returning, voiding } = followed.gate;
  return {
    canCapture: capturing !== undefined,
    canReturn: returning !== undefined,
    ...(voiding !== undefined && { voidableUntil: voiding.voidableUntil(followed.approvedAt) }),
  };
};

/**
 * Accepts follow-ups (protocol decisions, section 10). Concurrent requests are decided one after another in the order's stream, so together they
 * never exceed the remaining amount (safety, I12 and T5).
 */
export class RequestFollowUpHandler {
  constructor(private readonly ports: RequestFollowUpPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: FollowUpRequested): Promise<FollowUpAcceptedAnswer | FollowUpRefused> {
    const { merchant, clientOrderId, orderId, kind, amount, deadline } = request;
    const { contexts, clock, failpoints } = this.ports;
    const open = await contexts.find({ merchant, clientOrderId, orderId, deadline });
    if (open === undefined) return { reason: 'order-unknown' };
    // The gate's capabilities are read from a final order, so an order about to end is refused too.
    if (open.processing.end === undefined) return { reason: 'order-not-final' };
    const gate = this.gateOf(open.processing);
    const capabilities = capabilitiesOf(gate);
    const comment = request.comment === undefined ? undefined : await this.seal(merchant, request.comment, deadline);
    const now = clock.now();
    const data = { kind, capabilities, now, ...(amount !== undefined && { amount }), ...(comment !== undefined && { comment }) };
    const command = { type: 'RequestFollowUp' as const, data };
    // The serial is the command's id, so a repeat finds the first request's event.
    const result = await contexts.decide({ stream: open.stream, command, envelope: requestEnvelope(merchant, request, now), deadline });
    if (result.kind === 'rejected') {
      const rejection = result.rejection as FollowUpRefusal;
      return gate === 'not-configured' && rejection.reason === 'operation-not-supported' ? { reason: 'gate-not-configured' } : rejection;
    }
    failpoints.reach('P3');
    const [accepted] = result.events;
    if (!isEventOf(accepted, 'follow-up')) throw new Error(`${open.stream}: a follow-up was accepted as ${accepted.type}`);
    return { reason: 'accepted', orderId, endpointId: open.order.endpointId, number: accepted.data.number };
  }

  private gateOf(processing: Processing): FollowedGate {
    const order = followedOrder(processing);
    if (order.kind === 'not-final' || order.kind === 'nothing-moved') return 'none';
    const gate = this.ports.gates.find(order.gate.alias);
    return gate === undefined ? 'not-configured' : { gate, approvedAt: order.approvedAt };
  }

  private async seal(merchant: MerchantLogin, comment: string, deadline: Deadline | undefined): Promise<Sealed> {
    return (await this.ports.sealer.takeKey(deadline)).seal(merchant, SEALED_FIELDS.followUpComment, comment);
  }
}
