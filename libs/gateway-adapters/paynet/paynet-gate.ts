import type {
  CallLimit,
  CanAuthorise,
  CanCapture,
  CanCharge,
  CanInquire,
  CanListen,
  CanRebill,
  CanRegisterCards,
  CanRepeat,
  CanReturn,
  CanVerify,
  CanVoid,
  ChargeAnswer,
  ChargeRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  SentFollowUp,
  SentRequest,
  FollowUpAnswer,
  FollowUpRequest,
  VerifyRequest,
} from '@app/gateway-adapters/contract';
import { addMs, type Instant, type Money } from '@app/kernel';
import { UpstreamCallbacks } from './upstream-callbacks';
import { UpstreamCards } from './upstream-cards';
import { UpstreamFollowUps } from './upstream-follow-ups';
import { pollUntil } from './polling';
import { initialFields } from './translation/initial-fields';
import { readStatus, type StatusOutcome } from './translation/status';
import { readSubmission } from './translation/submission';
import { lostReply, type CardSettings, type PaynetParts } from './upstream';
import { readAnswer } from './wire/answer-fields';
import { accountVerification, initialPayment, orderStatus } from './wire/operations';
import type { UpstreamAccount } from './wire/upstream-account';
import type { UpstreamRequest } from './wire/upstream-request';

/** The upstream gateway alone knows when it clears; until then it refuses a void itself. */
const CLEARED_AFTER_MS = 365 * 24 * 60 * 60 * 1_000;

/**
 * A gate behind which another gateway stands that speaks the interface: an order of ours is an order there, under the attempt's key as its
 * client_orderid, and its status is asked until it is final.
 */
export class PaynetGate implements Gate, CanCharge, CanAuthorise, CanVerify, CanCapture, CanReturn, CanVoid, CanInquire {
  readonly profile: GateProfile;
  readonly charging: CanCharge = this;
  readonly authorising: CanAuthorise = this;
  readonly verifying: CanVerify = this;
  readonly capturing: CanCapture = this;
  readonly returning: CanReturn = this;
  readonly voiding: CanVoid = this;
  readonly inquiring: CanInquire = this;
  /** The upstream gateway takes the payer through it, and its status tells how it ended. */
  readonly payerAuthentication?: 'hosted';
  /** Absent where the upstream gateway honours no Idempotency-Key. */
  readonly repeating?: CanRepeat;
  /** Absent where the upstream gateway is not asked to call back. */
  readonly listening?: CanListen;
  /** Both absent where cards are not registered at the upstream gateway. */
  readonly rebilling?: CanRebill;
  readonly registering?: CanRegisterCards;
  readonly #parts: PaynetParts;
  readonly #followUps: UpstreamFollowUps;

  constructor(parts: PaynetParts) {
    this.profile = parts.profile;
    this.#parts = parts;
    this.#followUps = new UpstreamFollowUps(parts, (order, limit) => this.#status(order, limit));
    if (parts.profile.threeDSecure) this.payerAuthentication = 'hosted';
    if (parts.isKeyed) this.repeating = this.#followUps;
    if (parts.callbackProof !== undefined) this.listening = new UpstreamCallbacks(parts.callbackProof, parts.clock);
    if (parts.cards !== undefined) this.rebilling = this.registering = this.#cards(parts, parts.cards);
  }

  charge(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> {
    return this.#pay(request, request.amount, limit, (account) => initialPayment(account, 'sale', initialFields(request), request.amount));
  }

  authorise(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> {
    return this.#pay(request, request.amount, limit, (account) =>
      initialPayment(account, 'preauth', initialFields(request), request.amount),
    );
  }

  verify(request: VerifyRequest, limit: CallLimit): Promise<ChargeAnswer> {
    return this.#pay(request, undefined, limit, (account) => accountVerification(account, initialFields(request)));
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
    const outcome = await this.#status(sent, limit);
    return outcome.kind === 'undecided' ? { kind: 'unknown', cause: 'gate-undecided' } : outcome;
  }

  #cards(parts: PaynetParts, settings: CardSettings): UpstreamCards {
    return new UpstreamCards({
      parts,
      settings,
      statusOf: (order, limit) => this.#status(order, limit),
      pay: (request, limit, make) => this.#pay(request, request.amount, limit, make),
    });
  }

  async #pay(
    { key, cvv }: Pick<VerifyRequest, 'key' | 'cvv'>,
    amount: Money | undefined,
    limit: CallLimit,
    make: (account: UpstreamAccount) => UpstreamRequest,
  ): Promise<ChargeAnswer> {
    const { account, upstream, monotonic, pollMs } = this.#parts;
    const { currencies, cvvRequired } = this.profile;
    if (amount !== undefined && !currencies.includes(amount.currency)) return { kind: 'not-asked', cause: 'refused-by-gate' };
    if (cvvRequired && cvv === undefined) return { kind: 'not-asked', cause: 'refused-by-gate' };
    const begunMs = monotonic.elapsedMs();
    const reply = await upstream.send(make(account), limit);
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    const submitted = reply.kind === 'lost' ? lostReply(reply) : readSubmission(readAnswer(reply.body), key);
    if (submitted.kind === 'not-asked') return submitted;
    const gateOrderId = submitted.kind === 'accepted' ? submitted.gateOrderId : undefined;
    const decided = await pollUntil(this.#parts, pollMs, limit, begunMs, async () => {
      const outcome = await this.#status({ key, ...(amount && { amount }) }, limit, gateOrderId);
      // What is not found now may still arrive, and an answer that is not recognised may be followed by one that is.
      return outcome.kind === 'undecided' || outcome.kind === 'unknown' || outcome.kind === 'not-found' ? undefined : outcome;
    });
    return decided ?? (submitted.kind === 'unknown' ? submitted : { kind: 'unknown', cause: 'gate-undecided' });
  }

  /** By client_orderid alone, which is enough where the answer that would have told the upstream gateway's own name was lost. */
  async #status({ key, amount }: Pick<SentRequest, 'key' | 'amount'>, limit: CallLimit, gateOrderId?: string): Promise<StatusOutcome> {
    const { account, upstream, clock } = this.#parts;
    const reply = await upstream.send(orderStatus(account, { clientOrderId: key, orderId: gateOrderId ?? '' }), limit);
    if (reply.kind === 'not-sent') return { kind: 'unknown', cause: 'connection-lost' };
    if (reply.kind === 'lost') return lostReply(reply);
    return readStatus(readAnswer(reply.body), { clientOrderId: key, gateOrderId, amount }, clock.now());
  }
}
