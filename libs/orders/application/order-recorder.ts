import {
  isRejection,
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
import { OutcomeUnknown, StoreUnavailable, type Actor, type AnyEvent, type Envelope } from '@app/event-store';
import { isFollowUpCommand, type FollowUpAnswer, type GateAnswer, type GateChoice, type Taken } from '../domain';
import type { Trace } from './follow-up-traces';
import type { Claim, OpenOrder, OrderCommand, OrderContexts } from './order-context';

/** After these rounds the answer is left to the next inquiry. */
const ROUNDS_MAX = 20;
const ROUND_GAP_MS = 5;
const RECEIPT_ID_CHARACTERS = 24;
const RECEIPT_ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

const ORCHESTRATOR: Actor = { actor: 'orchestrator' };

/** A follow-up uses its own request's trace. */
const traceFor = (order: OpenOrder, command: OrderCommand): Trace =>
  isFollowUpCommand(command) && command.type !== 'RequestFollowUp' ? order.traceOf(command.data.number) : order;

interface Asking {
  readonly by?: Actor | undefined;
  readonly asked?: Trace | undefined;
}

interface Answered<Answer> {
  readonly key: AttemptKey;
  readonly answer: Answer;
  /** Present if the answer is our judgement of what had left by then. */
  readonly judgedSentAt?: Instant | undefined;
}

/** The claim's result and the order at its decision. */
export type SeenClaim = Exclude<Claim, { readonly kind: 'conflict' }> & { readonly seen: OpenOrder };

export const orderAfter = (claim: SeenClaim): OpenOrder => (claim.kind === 'appended' ? claim.order : claim.seen);

interface OrderRecorderPorts {
  readonly contexts: OrderContexts;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
}

interface RecorderListener {
  moved(order: OpenOrder, events: NonEmpty<AnyEvent>): void;
  /** The outcome of the append is unknown. If the events are stored, a retry appends and reports none of them. */
  perhapsMoved(before: OpenOrder, events: NonEmpty<AnyEvent>): void;
}

/** Appends the reactors' results; the only place that makes their envelopes. */
export class OrderRecorder {
  #listener: RecorderListener = { moved: () => undefined, perhapsMoved: () => undefined };

  constructor(private readonly ports: OrderRecorderPorts) {}

  /** With a command id derived from the trigger, a rival's append would look like our retry (architecture, rule 2). */
  envelope(order: OpenOrder, by = ORCHESTRATOR, { correlation, callerTrace, causation }: Trace = order): Envelope {
    const commandId = this.ports.ids.next();
    return { correlation, callerTrace, causation, ...by, merchant: order.order.merchant, commandId, recordedAt: this.ports.clock.now() };
  }

  receiptId(): string {
    let text = '';
    for (const byte of this.ports.random.bytes(RECEIPT_ID_CHARACTERS)) text += RECEIPT_ALPHABET[byte % RECEIPT_ALPHABET.length];
    return text;
  }

  /** Registers the only listener. */
  listen(listener: RecorderListener): void {
    this.#listener = listener;
  }

  async claim(order: OpenOrder, command: OrderCommand, { by, asked }: Asking = {}): Promise<Claim> {
    try {
      const claim = await order.claim(command, this.envelope(order, by, asked ?? traceFor(order, command)));
      if (claim.kind === 'appended') this.#listener.moved(claim.order, claim.events);
      return claim;
    } catch (error) {
      const decision = error instanceof OutcomeUnknown ? order.preview(command) : undefined;
      if (decision !== undefined && !isRejection(decision)) this.#listener.perhapsMoved(order, decision);
      throw error;
    }
  }

  /**
   * For an answer that is true in any state of the order.
   * @throws StoreUnavailable if another process was faster every time
   */
  async claimWithRetries(
    from: OpenOrder,
    command: () => OrderCommand,
    { by, asked, deadline }: Asking & { readonly deadline?: Deadline | undefined } = {},
  ): Promise<SeenClaim> {
    let seen = from;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const claim = await this.claim(seen, command(), { by, asked });
      if (claim.kind !== 'conflict') return { ...claim, seen };
      await sleep(this.ports.scheduler, ROUND_GAP_MS * round);
      seen = await this.ports.contexts.open(from.stream, deadline);
    }
    throw new StoreUnavailable(`${from.stream}: another was faster ${ROUNDS_MAX} times`);
  }

  claimAnswer(from: OpenOrder, { key, answer, judgedSentAt }: Answered<GateAnswer | GateChoice>): Promise<SeenClaim> {
    return this.claimWithRetries(from, () => {
      const data = { key, answer, ...(judgedSentAt !== undefined && { judgedSentAt }), now: this.ports.clock.now() };
      return { type: 'RecordAnswer', receiptId: this.receiptId(), data };
    });
  }

  async recordAnswer(from: OpenOrder, answered: Answered<GateAnswer | GateChoice>): Promise<OpenOrder> {
    return orderAfter(await this.claimAnswer(from, answered));
  }

  async recordTaken(from: OpenOrder, key: AttemptKey, taken: Taken): Promise<OpenOrder> {
    const claim = await this.claimWithRetries(from, () => ({
      type: 'RecordTaken',
      receiptId: this.receiptId(),
      data: { key, taken, now: this.ports.clock.now() },
    }));
    return orderAfter(claim);
  }

  claimFollowUpAnswer(
    from: OpenOrder,
    { number, key, answer, judgedSentAt }: Answered<FollowUpAnswer> & { readonly number: number },
  ): Promise<SeenClaim> {
    return this.claimWithRetries(from, () => ({
      type: 'RecordFollowUpAnswer',
      data: { number, key, answer, ...(judgedSentAt !== undefined && { judgedSentAt }), now: this.ports.clock.now() },
    }));
  }

  async recordFollowUpAnswer(from: OpenOrder, answered: Answered<FollowUpAnswer> & { readonly number: number }): Promise<OpenOrder> {
    return orderAfter(await this.claimFollowUpAnswer(from, answered));
  }
}
