import {
  sleep,
  type AttemptKey,
  type Clock,
  type Deadline,
  type Ids,
  type Instant,
  type NonEmpty,
  type Random,
  type Scheduler,
} from '@app/kernel';
import { StoreUnavailable, type Actor, type AnyEvent, type Envelope } from '@app/event-store';
import { isFollowUpCommand, type FollowUpAnswer, type GateAnswer } from '../../domain';
import type { Trace } from '../../follow-ups/application/follow-up-traces';
import type { Claim, OpenOrder, OrderCommand, OrderContexts } from './order-context';

/** Rounds of load, decide, append before an answer is left to the next inquiry. */
const ROUNDS_MAX = 20;
const ROUND_GAP_MS = 5;
const RECEIPT_ID_CHARACTERS = 24;
const RECEIPT_ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Of what no person and no merchant appends. */
const ORCHESTRATOR: Actor = { actor: 'orchestrator' };

/** A follow-up goes back to the request that asked for it, everything else to the one that made the order. */
const traceFor = (order: OpenOrder, command: OrderCommand): Trace =>
  isFollowUpCommand(command) && command.type !== 'RequestFollowUp' ? order.traceOf(command.data.number) : order;

/** Writes what the reactors learn; the only place that makes their envelopes. */
export class OrderRecorder {
  #onMoved: (order: OpenOrder, events: NonEmpty<AnyEvent>) => void = () => undefined;

  constructor(
    private readonly contexts: OrderContexts,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly scheduler: Scheduler,
  ) {}

  /** A command id of its own for each claim: made of the trigger, a rival's append would pass for a retry of ours (architecture, rule 2). */
  envelope(order: OpenOrder, by = ORCHESTRATOR, { correlation, callerTrace, causation }: Trace = order): Envelope {
    const commandId = this.ids.next();
    return { correlation, callerTrace, causation, ...by, merchant: order.order.merchant, commandId, recordedAt: this.clock.now() };
  }

  /** Letters only: no run of digits may look like a number of any kind (protocol decisions, section 5). */
  receiptId(): string {
    let text = '';
    for (const byte of this.random.bytes(RECEIPT_ID_CHARACTERS)) text += RECEIPT_ALPHABET[byte % RECEIPT_ALPHABET.length];
    return text;
  }

  /** Whoever waits in this process for an order to move on: told of every append that is made here, and how the order stands with it. One listener. */
  tell(onMoved: (order: OpenOrder, events: NonEmpty<AnyEvent>) => void): void {
    this.#onMoved = onMoved;
  }

  /** @param asked the request that wants it, where it is neither the one that made the order nor a follow-up's */
  async claim(order: OpenOrder, command: OrderCommand, by?: Actor, asked?: Trace): Promise<Claim> {
    const claim = await order.claim(command, this.envelope(order, by, asked ?? traceFor(order, command)));
    if (claim.kind === 'appended') this.#onMoved(claim.order, claim.events);
    return claim;
  }

  /**
   * Decides again on what somebody else appended meanwhile, for a word that is true whoever moved.
   * @throws StoreUnavailable where another was faster every time
   */
  async insist(
    from: OpenOrder,
    command: () => OrderCommand,
    by?: Actor,
    asked?: Trace,
    deadline?: Deadline,
  ): Promise<Exclude<Claim, { readonly kind: 'conflict' }> & { readonly seen: OpenOrder }> {
    let seen = from;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const claim = await this.claim(seen, command(), by, asked);
      if (claim.kind !== 'conflict') return { ...claim, seen };
      await sleep(this.scheduler, ROUND_GAP_MS * round);
      seen = await this.contexts.open(from.stream, deadline);
    }
    throw new StoreUnavailable(`${from.stream}: another was faster ${ROUNDS_MAX} times`);
  }

  /**
   * The order as it stands with the gate's word.
   * @param judgedSentAt where the answer is our judgement of what had left for the gate then: it does not hold for what left later
   */
  async recordAnswer(from: OpenOrder, key: AttemptKey, answer: GateAnswer, judgedSentAt?: Instant): Promise<OpenOrder> {
    const claim = await this.insist(from, () => {
      const data = { key, answer, ...(judgedSentAt !== undefined && { judgedSentAt }), now: this.clock.now() };
      return { type: 'RecordAnswer', receiptId: this.receiptId(), data };
    });
    return claim.kind === 'appended' ? claim.order : claim.seen;
  }

  /** As `recordAnswer`, of a follow-up. */
  async recordFollowUpAnswer(
    from: OpenOrder,
    number: number,
    key: AttemptKey,
    answer: FollowUpAnswer,
    judgedSentAt?: Instant,
  ): Promise<OpenOrder> {
    const claim = await this.insist(from, () => ({
      type: 'RecordFollowUpAnswer',
      data: { number, key, answer, ...(judgedSentAt !== undefined && { judgedSentAt }), now: this.clock.now() },
    }));
    return claim.kind === 'appended' ? claim.order : claim.seen;
  }
}
