import {
  isRejection,
  present,
  type ClientOrderId,
  type Clock,
  type Deadline,
  type EndpointId,
  type Failpoints,
  type Instant,
  type MerchantLogin,
  type Money,
  type OrderId,
  type Sealed,
} from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, AnyEvent, Envelope, Revision, StreamName } from '@app/event-store';
import type { Gate, Gates } from '@app/gateway-adapters/contract';
import {
  followedOrder,
  isEventOf,
  mayHaveMoved,
  SEALED_FIELDS,
  type FollowUpAccepted,
  type FollowUpCapabilities,
  type FollowUpKind,
  type FollowUpOperation,
  type FollowUpRefusal,
  type Processing,
  type RequestFollowUp,
} from '../../domain';
import type { OpenOrder, OrderContexts, OrderRejection } from '../order-context';
import { requestEnvelope, type NamedRequest } from '../acceptance/accept-order';

/** A repeated serial is the same request. */
export interface FollowUpRequested extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly kind: FollowUpKind;
  readonly amount?: Money;
  readonly comment?: string;
  readonly operator?: FollowUpOperator;
}

/** An operator who requests it in place of the merchant, with a reason that is kept sealed. */
interface FollowUpOperator {
  readonly by: Actor;
  readonly reason: string;
  /** Refuses the request unless the order still has this revision. */
  readonly at?: Revision;
}

export interface FollowUpAcceptedAnswer {
  readonly reason: 'accepted';
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
  readonly number: number;
  readonly amount: Money;
}

/** `gate-not-configured`: the approving gate is no longer connected. `order-moved`: the order no longer has the required revision. */
export type FollowUpRefused = FollowUpRefusal | { readonly reason: 'order-unknown' | 'gate-not-configured' | 'order-moved' };

/** What a request would move, and the revision of the order for which that is true. */
export interface FollowUpPreview {
  readonly reason: 'possible';
  readonly operation: FollowUpOperation;
  readonly amount: Money;
  /** What earlier follow-ups of this operation have moved or may still move, in minor units. */
  readonly earlierMinor: bigint;
  readonly stream: StreamName;
  readonly revision: Revision;
}

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

const acceptedIn = (event: AnyEvent): FollowUpAccepted['data'] => {
  if (!isEventOf(event, 'follow-up') || event.type !== 'FollowUpAccepted') throw new Error(`a follow-up was accepted as ${event.type}`);
  return event.data;
};

const existingFollowUp = (open: OpenOrder, serial: string): FollowUpAcceptedAnswer | undefined => {
  const { order, processing } = open;
  const found = processing.followUps.find(({ number }) => open.traceOf(number).correlation === serial);
  return found && { reason: 'accepted', orderId: order.orderId, endpointId: order.endpointId, number: found.number, amount: found.amount };
};

const refusalOf = (rejection: OrderRejection, gate: FollowedGate): FollowUpRefused =>
  gate === 'not-configured' && rejection.reason === 'operation-not-supported'
    ? { reason: 'gate-not-configured' }
    : (rejection as FollowUpRefusal);

/**
 * Accepts follow-ups (protocol decisions, section 10). Concurrent requests are decided one after another in the order's stream, so together they
 * never exceed the remaining amount (safety, I12 and T5).
 */
export class RequestFollowUpHandler {
  constructor(private readonly ports: RequestFollowUpPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: FollowUpRequested): Promise<FollowUpAcceptedAnswer | FollowUpRefused> {
    const { merchant, orderId, operator, deadline } = request;
    const { contexts, failpoints } = this.ports;
    const open = await this.open(request);
    if ('reason' in open) return open;
    const gate = this.gateOf(open.processing);
    const comment = await this.seal(merchant, SEALED_FIELDS.followUpComment, request.comment, deadline);
    const reason = await this.seal(merchant, SEALED_FIELDS.settlementReason, operator?.reason, deadline);
    const command = this.command(request, gate, { comment, reason });
    const now = command.data.now;
    const envelope = { ...requestEnvelope(merchant, request, now), ...operator?.by };
    if (operator?.at !== undefined) return this.claimAt(operator.at, open, { command, envelope }, gate);
    // The serial is the command's id, so a repeat finds the first request's event.
    const result = await contexts.decide({ stream: open.stream, command, envelope, deadline });
    if (result.kind === 'rejected') return refusalOf(result.rejection, gate);
    failpoints.reach('P3');
    const [accepted] = result.events;
    const { number, amount } = acceptedIn(accepted);
    return { reason: 'accepted', orderId, endpointId: open.order.endpointId, number, amount };
  }

  /** What `handle` would accept now, or accepted before under this serial. Changes nothing. @throws StoreUnavailable */
  async preview(
    request: Omit<FollowUpRequested, 'operator' | 'comment'>,
  ): Promise<FollowUpPreview | FollowUpAcceptedAnswer | FollowUpRefused> {
    const open = await this.open(request);
    if ('reason' in open) return open;
    const existing = existingFollowUp(open, request.serial);
    if (existing !== undefined) return existing;
    const gate = this.gateOf(open.processing);
    const decision = open.preview(this.command(request, gate));
    if (isRejection(decision)) return refusalOf(decision, gate);
    const [accepted] = decision;
    const { operation, amount } = acceptedIn(accepted);
    const earlier = open.processing.followUps.filter((one) => one.operation === operation && mayHaveMoved(one));
    const earlierMinor = earlier.reduce((sum, one) => sum + one.amount.minor, 0n);
    return { reason: 'possible', operation, amount, earlierMinor, stream: open.stream, revision: open.revision };
  }

  /** Accepts at one revision of the order, and otherwise nothing. */
  private async claimAt(
    at: Revision,
    open: OpenOrder,
    { command, envelope }: { readonly command: RequestFollowUp; readonly envelope: Envelope },
    gate: FollowedGate,
  ): Promise<FollowUpAcceptedAnswer | FollowUpRefused> {
    const existing = existingFollowUp(open, envelope.correlation);
    if (existing !== undefined) return existing;
    if (open.revision !== at) return { reason: 'order-moved' };
    const claim = await open.claim(command, envelope);
    if (claim.kind === 'refused') return refusalOf(claim.rejection, gate);
    this.ports.failpoints.reach('P3');
    // After a conflict, another process may have stored the event of the same request.
    const after = claim.kind === 'appended' ? claim.order : await this.ports.contexts.open(open.stream);
    return existingFollowUp(after, envelope.correlation) ?? { reason: 'order-moved' };
  }

  private async open({
    merchant,
    clientOrderId,
    orderId,
    deadline,
  }: Omit<FollowUpRequested, 'serial'>): Promise<OpenOrder | FollowUpRefused> {
    const open = await this.ports.contexts.find({ merchant, clientOrderId, orderId, deadline });
    if (open === undefined) return { reason: 'order-unknown' };
    // The gate's capabilities are read from a final order, so an order about to end is refused too.
    return open.processing.end === undefined ? { reason: 'order-not-final' } : open;
  }

  private command(
    { kind, amount }: Pick<FollowUpRequested, 'kind' | 'amount'>,
    gate: FollowedGate,
    sealed: { readonly comment?: Sealed | undefined; readonly reason?: Sealed | undefined } = {},
  ): RequestFollowUp {
    const data = { kind, capabilities: capabilitiesOf(gate), now: this.ports.clock.now(), ...present({ amount, ...sealed }) };
    return { type: 'RequestFollowUp', data };
  }

  private gateOf(processing: Processing): FollowedGate {
    const order = followedOrder(processing);
    if (order.kind === 'not-final' || order.kind === 'nothing-moved') return 'none';
    const gate = this.ports.gates.find(order.gate.alias);
    return gate === undefined ? 'not-configured' : { gate, approvedAt: order.approvedAt };
  }

  private async seal(
    merchant: MerchantLogin,
    field: string,
    text: string | undefined,
    deadline: Deadline | undefined,
  ): Promise<Sealed | undefined> {
    return text === undefined ? undefined : (await this.ports.sealer.takeKey(deadline)).seal(merchant, field, text);
  }
}
