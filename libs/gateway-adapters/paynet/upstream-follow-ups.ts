import { unreachable, type AttemptKey } from '@app/kernel';
import { pollUntil } from '../client';
import type { CallLimit, Declined, FollowUpAnswer, NotAsked, SentFollowUp, Unknown } from '../contract';
import { readFollowUpStatus, type StatusOutcome } from './translation/status';
import { readSubmission, type Accepted } from './translation/submission';
import { lostReply, type InquiredOrder, type PaynetParts } from './upstream';
import { readAnswer } from './wire/answer-fields';
import { amountFollowUp, orderStatus, voidOrder, type UpstreamOrder, type UpstreamRequest } from './wire/operations';

/** Limit of remembered serials. Older follow-ups are inquired only by their order. */
const REMEMBERED_MAX = 10_000;

const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };

const typesOf = (operation: SentFollowUp['operation']): readonly string[] => {
  switch (operation) {
    case 'capture':
      return ['capture'];
    case 'return':
      return ['reversal', 'cancel'];
    case 'void':
      return ['void'];
    default:
      return unreachable(operation);
  }
};

type Asked = { readonly kind: 'asked'; readonly order: UpstreamOrder; readonly serial: string };

/**
 * Captures, returns and voids at the upstream gateway. The interface has no key for them: they are inquired by the serial of the accepting
 * answer.
 * If that answer is lost, a repeat under the Idempotency-Key returns it. Otherwise only a capture is visible on the order, since there is
 * at most one.
 */
export class UpstreamFollowUps {
  readonly #asked = new Map<AttemptKey, Asked>();

  constructor(
    private readonly parts: PaynetParts,
    private readonly statusOf: (order: InquiredOrder, limit: CallLimit) => Promise<StatusOutcome>,
  ) {}

  async send(followUp: SentFollowUp, limit: CallLimit): Promise<FollowUpAnswer> {
    const { monotonic, pollMs } = this.parts;
    if (!this.parts.profile.currencies.includes(followUp.amount.currency)) return { kind: 'not-asked', cause: 'refused-by-gate' };
    const begunMs = monotonic.elapsedMs();
    const orderId = await this.#orderId(followUp, limit);
    // No request that moves money was sent.
    if (orderId === undefined) return { kind: 'not-asked', cause: 'unavailable' };
    const asked = await this.#ask(followUp, { clientOrderId: followUp.original, orderId }, limit);
    if (asked.kind === 'not-asked' || asked.kind === 'declined') return asked;
    const decided = await pollUntil(this.parts, pollMs, limit, begunMs, async () => {
      const outcome = await (this.parts.isKeyed ? this.repeat(followUp, limit) : this.inquire(followUp, limit));
      return outcome.kind === 'unknown' || outcome.kind === 'not-found' ? undefined : outcome;
    });
    return decided ?? (asked.kind === 'unknown' ? asked : UNDECIDED);
  }

  async inquire(followUp: SentFollowUp, limit: CallLimit): Promise<FollowUpAnswer> {
    const asked = this.#asked.get(followUp.key);
    if (asked !== undefined) return this.#statusBySerial(followUp, asked, limit);
    return followUp.operation === 'capture' ? this.#captureSeen(followUp, limit) : UNDECIDED;
  }

  /** The Idempotency-Key makes this the same request, even if the first one arrived. */
  async repeat(followUp: SentFollowUp, limit: CallLimit): Promise<FollowUpAnswer | { readonly kind: 'not-found' }> {
    const known = this.#asked.get(followUp.key);
    if (known !== undefined) return this.#statusBySerial(followUp, known, limit);
    const orderId = await this.#orderId(followUp, limit);
    if (orderId === undefined) return UNDECIDED;
    const asked = await this.#ask(followUp, { clientOrderId: followUp.original, orderId }, limit);
    if (asked.kind === 'not-asked') return asked.cause === 'refused-by-gate' ? { kind: 'not-found' } : UNDECIDED;
    return asked.kind === 'asked' ? this.#statusBySerial(followUp, asked, limit) : asked;
  }

  async #orderId({ gateOrderId, original }: SentFollowUp, limit: CallLimit): Promise<string | undefined> {
    if (gateOrderId !== undefined) return gateOrderId;
    const outcome = await this.statusOf({ key: original }, limit);
    return 'gateOrderId' in outcome ? outcome.gateOrderId : undefined;
  }

  async #ask(followUp: SentFollowUp, order: UpstreamOrder, limit: CallLimit): Promise<Asked | Declined | NotAsked | Unknown> {
    const { codes, clock } = this.parts;
    const reply = await this.parts.upstream.send(this.#request(followUp, order), limit);
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    if (reply.kind === 'lost') return lostReply(reply);
    const submitted = readSubmission(readAnswer(reply.body), { clientOrderId: followUp.original, codes, seenAt: clock.now() });
    return submitted.kind === 'accepted' ? this.#remember(followUp.key, order, submitted) : submitted;
  }

  #request({ operation, key, amount }: SentFollowUp, order: UpstreamOrder): UpstreamRequest {
    const { account, isKeyed } = this.parts;
    const idempotencyKey = isKeyed ? key : undefined;
    return operation === 'void'
      ? voidOrder(account, order, idempotencyKey)
      : amountFollowUp(account, operation, order, amount, idempotencyKey);
  }

  #remember(key: AttemptKey, order: UpstreamOrder, { serial }: Accepted): Asked | Unknown {
    if (serial === undefined) return UNDECIDED;
    const asked: Asked = { kind: 'asked', order, serial };
    this.#asked.delete(key);
    this.#asked.set(key, asked);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= REMEMBERED_MAX) break;
      this.#asked.delete(oldest);
    }
    return asked;
  }

  async #statusBySerial(followUp: SentFollowUp, { order, serial }: Asked, limit: CallLimit): Promise<FollowUpAnswer> {
    const outcome = await this.#read(order, limit, { serial, types: typesOf(followUp.operation) });
    return outcome.kind === 'undecided' || outcome.kind === 'not-found' ? UNDECIDED : outcome;
  }

  /** If the order's latest transaction is a capture, this request made it: there is at most one. Anything else decides nothing. */
  async #captureSeen(followUp: SentFollowUp, limit: CallLimit): Promise<FollowUpAnswer> {
    const orderId = await this.#orderId(followUp, limit);
    if (orderId === undefined) return UNDECIDED;
    const { account, upstream, clock, codes } = this.parts;
    const order = { clientOrderId: followUp.original, orderId };
    const reply = await upstream.send(orderStatus(account, order), limit);
    if (reply.kind !== 'answered') return UNDECIDED;
    const fields = readAnswer(reply.body);
    if (fields?.get('transaction-type') !== 'capture' || fields.get('order-stage') !== 'capture_approved') return UNDECIDED;
    const expected = { clientOrderId: followUp.original, gateOrderId: orderId, amount: undefined, codes };
    const outcome = readFollowUpStatus(fields, expected, clock.now());
    return outcome.kind === 'approved' ? outcome : UNDECIDED;
  }

  async #read(order: UpstreamOrder, limit: CallLimit, followUp: { readonly serial: string; readonly types: readonly string[] }) {
    const { account, upstream, clock, codes } = this.parts;
    const reply = await upstream.send(orderStatus(account, order, followUp.serial), limit);
    if (reply.kind !== 'answered') return reply.kind === 'lost' ? lostReply(reply) : UNDECIDED;
    // `amount` is the initial transaction's, also for a partial follow-up (interface, section 2.5).
    const expected = { clientOrderId: order.clientOrderId, gateOrderId: order.orderId, amount: undefined, codes, followUp };
    return readFollowUpStatus(readAnswer(reply.body), expected, clock.now());
  }
}
