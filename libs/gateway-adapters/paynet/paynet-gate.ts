import { addMs, present, type Instant, type Money } from '@app/kernel';
import { pollUntil } from '../client';
import type {
  CallLimit,
  CanAuthorise,
  CanCapture,
  CanCharge,
  CanChooseFee,
  CanInquire,
  CanListen,
  CanRebill,
  CanRegisterCards,
  CanRepeat,
  CanReturn,
  CanTransfer,
  CanVerify,
  CanVoid,
  ChargeAnswer,
  ChargeRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  NotAsked,
  SentFollowUp,
  SentRequest,
  FollowUpAnswer,
  FollowUpRequest,
  TransferAnswer,
  TransferRequest,
  Unknown,
  VerifyRequest,
} from '../contract';
import { DeviceOrders, deviceRequestOf } from './device/device-orders';
import { deviceListener } from './device/merchant-half';
import type { PerformedOrder } from './device/perform-fields';
import { UpstreamCallbacks } from './upstream-callbacks';
import { UpstreamCards } from './upstream-cards';
import { UpstreamFollowUps } from './upstream-follow-ups';
import { initialFields, readSubmission } from './translation/submission';
import { readStatus, type StatusOutcome } from './translation/status';
import { addressed, lostReply, type InquiredOrder, type CardSettings, type PaynetParts } from './upstream';
import { readAnswer } from './wire/answer-fields';
import {
  accountVerification,
  initialPayment,
  orderStatus,
  type InitialFields,
  type UpstreamAccount,
  type UpstreamRequest,
} from './wire/operations';

/** Only the upstream gateway knows when it clears. After that it refuses a void itself. */
const CLEARED_AFTER_MS = 365 * 24 * 60 * 60 * 1_000;

const REFUSED: NotAsked = { kind: 'not-asked', cause: 'refused-by-gate' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };

/** A gate to another gateway with the same interface. Its orders have the attempt's key as client_orderid and are polled until final. */
export class PaynetGate implements Gate, CanCharge, CanAuthorise, CanVerify, CanCapture, CanReturn, CanVoid, CanInquire {
  readonly profile: GateProfile;
  readonly charging: CanCharge = this;
  readonly authorising: CanAuthorise = this;
  readonly verifying: CanVerify = this;
  readonly capturing: CanCapture = this;
  readonly returning: CanReturn = this;
  readonly voiding: CanVoid = this;
  readonly inquiring: CanInquire = this;
  /** The upstream gateway runs the authentication; the status returns its result. */
  readonly payerAuthentication?: 'hosted';
  readonly repeating?: CanRepeat;
  /** Present for callbacks or for orders of the device interface. */
  readonly listening?: CanListen;
  readonly rebilling?: CanRebill;
  readonly registering?: CanRegisterCards;
  /** Both need the device interface: Group A has no transfers. */
  readonly transferring?: CanTransfer;
  readonly choosing?: CanChooseFee;
  readonly #devices?: DeviceOrders;
  readonly #parts: PaynetParts;
  readonly #followUps: UpstreamFollowUps;

  constructor(parts: PaynetParts) {
    this.profile = parts.profile;
    this.#parts = parts;
    this.#followUps = new UpstreamFollowUps(parts, (order, limit) => this.#status(order, limit));
    if (parts.profile.threeDSecure) this.payerAuthentication = 'hosted';
    if (parts.isKeyed) this.repeating = this.#followUps;
    if (parts.cards !== undefined) this.rebilling = this.registering = this.#cards(parts, parts.cards);
    const { callbackProof, devices } = parts;
    const callbacks = callbackProof && new UpstreamCallbacks(callbackProof, parts.clock, parts.codes);
    if (callbacks !== undefined) this.listening = callbacks;
    if (devices === undefined) return;
    const orders = new DeviceOrders({ ...parts, ...devices }, (order, limit) => this.#status(order, limit));
    this.#devices = orders;
    this.listening = deviceListener(devices.account, callbacks);
    this.transferring = { transfer: (request, limit) => this.#transfer(request, limit) };
    this.choosing = { choose: (sent, chosen, limit) => orders.choose(sent, chosen, limit) };
  }

  charge(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> {
    const { amount } = request;
    const { currency } = amount;
    return (
      this.#made({ operation: 'sale', request, currency, amount }, (devices, made) => devices.perform(made, limit)) ??
      this.#pay(request, amount, limit, (account) => initialPayment(account, 'sale', this.#fields(request), amount))
    );
  }

  authorise(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> {
    return this.#pay(request, request.amount, limit, (account) =>
      initialPayment(account, 'preauth', this.#fields(request), request.amount),
    );
  }

  verify(request: VerifyRequest, limit: CallLimit): Promise<ChargeAnswer> {
    const { currency = this.profile.currencies[0] } = request;
    const order = currency && { operation: 'verification' as const, request, currency, amount: undefined };
    const performing = order && this.#made(order, (devices, made) => devices.perform(made, limit));
    return performing ?? this.#pay(request, undefined, limit, (account) => accountVerification(account, this.#fields(request)));
  }

  capture(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer> {
    return this.#followUps.send({ ...request, operation: 'capture' }, limit);
  }

  refund(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer> {
    return this.#followUps.send({ ...request, operation: 'return' }, limit);
  }

  void(request: FollowUpRequest, limit: CallLimit): Promise<FollowUpAnswer> {
    return this.#followUps.send({ ...request, operation: 'void' }, limit);
  }

  voidableUntil(approvedAt: Instant): Instant {
    return addMs(approvedAt, CLEARED_AFTER_MS);
  }

  async inquire(sent: SentRequest | SentFollowUp, limit: CallLimit): Promise<InquiryAnswer> {
    if ('operation' in sent) return this.#followUps.inquire(sent, limit);
    if (sent.isByDevice === true && this.#devices !== undefined) return this.#devices.inquire(sent, limit);
    const outcome = await this.#status(sent, limit);
    return outcome.kind === 'undecided' ? UNDECIDED : outcome;
  }

  #cards(parts: PaynetParts, settings: CardSettings): UpstreamCards {
    return new UpstreamCards({
      parts,
      settings,
      statusOf: (order, limit) => this.#status(order, limit),
      pay: (request, limit, make) => this.#pay(request, request.amount, limit, make),
    });
  }

  #fields(request: VerifyRequest): InitialFields {
    return initialFields(addressed(this.#parts, request));
  }

  #transfer(request: TransferRequest, limit: CallLimit): Promise<TransferAnswer> {
    const { amount, destination } = request;
    const order = { operation: 'transfer' as const, request, currency: amount.currency, amount, destination };
    return this.#made(order, (devices, made) => devices.transfer(made, limit)) ?? Promise.resolve(REFUSED);
  }

  #made<Answer>(
    order: Omit<PerformedOrder, 'device' | 'cvv'>,
    ask: (devices: DeviceOrders, made: PerformedOrder) => Promise<Answer>,
  ): Promise<Answer | NotAsked> | undefined {
    const { request, currency } = order;
    const made = deviceRequestOf(request);
    if (this.#devices === undefined || made === undefined) return undefined;
    return this.profile.currencies.includes(currency) ? ask(this.#devices, { ...order, ...made }) : Promise.resolve(REFUSED);
  }

  async #pay(
    { key, cvv }: Pick<VerifyRequest, 'key' | 'cvv'>,
    amount: Money | undefined,
    limit: CallLimit,
    make: (account: UpstreamAccount) => UpstreamRequest,
  ): Promise<ChargeAnswer> {
    const { account, upstream, monotonic, pollMs, codes, clock } = this.#parts;
    const { currencies, cvvRequired } = this.profile;
    if (amount !== undefined && !currencies.includes(amount.currency)) return REFUSED;
    if (cvvRequired && cvv === undefined) return REFUSED;
    const begunMs = monotonic.elapsedMs();
    const reply = await upstream.send(make(account), limit);
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    const submitted =
      reply.kind === 'lost' ? lostReply(reply) : readSubmission(readAnswer(reply.body), { clientOrderId: key, codes, seenAt: clock.now() });
    if (submitted.kind === 'not-asked' || submitted.kind === 'declined') return submitted;
    let gateOrderId = submitted.kind === 'accepted' ? submitted.gateOrderId : undefined;
    if (gateOrderId !== undefined) await limit.taken?.({ gateOrderId });
    const decided = await pollUntil(this.#parts, pollMs, limit, begunMs, async () => {
      const outcome = await this.#status({ key, ...present({ amount, gateOrderId }) }, limit);
      if (outcome.kind === 'undecided') gateOrderId ??= outcome.gateOrderId;
      // An order that is not found may still arrive, and the next answer may be recognisable.
      return outcome.kind === 'undecided' || outcome.kind === 'unknown' || outcome.kind === 'not-found' ? undefined : outcome;
    });
    return decided ?? (submitted.kind === 'unknown' ? submitted : UNDECIDED);
  }

  /** By the upstream gateway's order id; only by client_orderid while that id is unknown (protocol decisions, section 12). */
  async #status({ key, amount, gateOrderId }: InquiredOrder, limit: CallLimit): Promise<StatusOutcome> {
    const { account, upstream, clock, codes } = this.#parts;
    const reply = await upstream.send(orderStatus(account, { clientOrderId: key, orderId: gateOrderId ?? '' }), limit);
    if (reply.kind === 'not-sent') return { kind: 'unknown', cause: 'connection-lost' };
    if (reply.kind === 'lost') return lostReply(reply);
    const fields = readAnswer(reply.body);
    const outcome = readStatus(fields, { clientOrderId: key, gateOrderId, amount, codes }, clock.now());
    const named = fields?.get('paynet-order-id');
    const isOpen = outcome.kind === 'undecided' || outcome.kind === 'payer-needed';
    if (isOpen && gateOrderId === undefined && named !== undefined) await limit.taken?.({ gateOrderId: named });
    return outcome;
  }
}
