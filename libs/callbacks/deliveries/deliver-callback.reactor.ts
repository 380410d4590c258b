import {
  load,
  OutcomeUnknown,
  runDecision,
  runOpeningDecision,
  type CallerTrace,
  type Envelope,
  type EventId,
  type EventStore,
  type StreamName,
  type WorkItem,
} from '@app/event-store';
import { addMs, isRejection, unreachable, type Clock, type Ids, type Instant, type Random } from '@app/kernel';
import { controlKeysAt, type Merchant } from '@app/configuration';
import { type Egress, underTrace, DELIVERED_STATUS, type EgressOutcome } from '@app/http/client';
import { type CallbackFacts, type DeliveryFact, callbackRequest } from './callback-request';
import { deliveryCodec, parseDeliveryKey, deliveryStream } from './delivery.codec';
import { delivery, type DeliveryCommand, type DeliveryIdentity, type TryFailure, triesOf, type Delivery } from '../domain/delivery';
import { isAcknowledged, notificationRequest } from '../merchant-server/notification-call';

export type TryResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'failed'; readonly failure: TryFailure }
  | { readonly kind: 'not-sent'; readonly cause: 'overloaded' | 'closed' };

const failed = (failure: TryFailure): TryResult => ({ kind: 'failed', failure });

/** `isAcknowledged` checks the body of an answer with the right status; a callback needs only the status. */
export const tryResultOf = (outcome: EgressOutcome, isAcknowledged: (body: string) => boolean = () => true): TryResult => {
  switch (outcome.kind) {
    case 'answered':
      if (outcome.status !== DELIVERED_STATUS) return failed({ cause: 'answered', status: outcome.status });
      return isAcknowledged(outcome.body ?? '') ? { kind: 'delivered', status: outcome.status } : failed({ cause: 'not-acknowledged' });
    case 'refused-target':
      return failed({ cause: 'refused-target', reason: outcome.reason });
    case 'connection-failed':
      return failed({ cause: 'connection-failed', code: outcome.code });
    case 'timed-out':
    case 'answer-too-large':
    case 'answer-malformed':
      return failed({ cause: outcome.kind });
    case 'not-sent':
      return outcome.cause === 'malformed-request' ? failed({ cause: outcome.cause }) : { kind: 'not-sent', cause: outcome.cause };
    default:
      return unreachable(outcome);
  }
};

/** One attempt and its outcome, for metrics and logs, without address and body. */
export interface TriedCallback extends Pick<DeliveryIdentity, 'target'> {
  readonly merchant: string;
  /** The `webhook-id` of every attempt. */
  readonly deliveryId: EventId;
  readonly stream: StreamName;
  readonly serial: string;
  readonly callerTrace?: CallerTrace;
  readonly orderId?: string;
  readonly tryNumber: number;
  readonly outcome: 'delivered' | TryFailure['cause'];
  readonly cause?: TryFailure;
  /** No attempt follows unless an operator requests one (safety, F30). */
  readonly isExhausted: boolean;
}

export interface CallbackMerchants {
  merchant(login: string): Pick<Merchant, 'controlKey' | 'formerControlKey' | 'callback' | 'merchantUrl' | 'cardMapping'> | undefined;
}

export interface DeliverCallbackPorts {
  readonly store: EventStore;
  readonly facts: CallbackFacts;
  readonly merchants: CallbackMerchants;
  readonly egress: Pick<Egress, 'send'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  /** Divides every delay between attempts (`callbacks.speedFactor`). */
  readonly speedFactor: number;
  readonly onTried?: (tried: TriedCallback) => void;
}

/** Nothing was sent, so no attempt is counted: the work item stays due and its runner retries. */
export class CallbackNotSent extends Error {
  override readonly name = 'CallbackNotSent';
}

const ACTOR = 'callbacks';

/** If the clock is before `since`, it was set back. The elapsed delay is unknown, so the next attempt is due. */
const isDue = (state: Delivery, now: Instant): boolean =>
  state.status === 'untried' || (state.status === 'waiting' && (now >= state.nextTryAt || now < state.since));

/** Older items may be due again because the work table is being rebuilt. */
const NEWS_MS = 10_000;

/** Whether the item may be as the fact made it. Then this is the first attempt, and its record at `no_stream` shows if it was not. */
const isNews = ({ dueBeforeClaim }: WorkItem, now: Instant): boolean =>
  dueBeforeClaim !== undefined && now < addMs(dueBeforeClaim, NEWS_MS);

/** A notification that is delivered here was not acknowledged before the order's end. That was its first attempt. */
const isTriedBefore = (state: Delivery, fact: DeliveryFact | undefined): boolean =>
  state.status === 'untried' && fact?.kind === 'notification';

const isLastTry = (before: Delivery, command: DeliveryCommand): boolean => {
  const decision = delivery.decide(command, before);
  return !isRejection(decision) && decision.reduce((state, event) => delivery.evolve(state, event), before).status === 'exhausted';
};

const NOT_ACKNOWLEDGED: TryResult = { kind: 'failed', failure: { cause: 'not-acknowledged' } };

/**
 * Delivers one fact to a merchant or its server, one attempt per work item, with the same bytes and id (protocol decisions, sections 6 and
 * 8; safety, I5 and B10).
 * The outcome is recorded after the attempt; a crash in between repeats the attempt (at least once).
 */
export class DeliverCallbackReactor {
  readonly #ports: DeliverCallbackPorts;

  constructor(ports: DeliverCallbackPorts) {
    this.#ports = ports;
  }

  /**
   * Resolves when the attempt is recorded. If none is due, resolves at once with the next attempt's time: the work table may differ from
   * the stream.
   * @throws CallbackNotSent, StoreUnavailable, OutcomeUnknown, BrokenChain and the errors of the facts' port: the item stays due
   */
  async on(item: WorkItem): Promise<Instant | undefined> {
    const { store, facts, clock } = this.#ports;
    const { factId, target } = parseDeliveryKey(item.key);
    const news = isNews(item, clock.now()) ? await facts.factOf(item.stream, factId, target) : undefined;
    const isFirst = news?.kind === 'callback' && news.recordedAt === item.dueBeforeClaim;
    const state = isFirst ? delivery.initial : (await load(store, deliveryStream(factId, target), delivery, deliveryCodec)).state;
    if (!isDue(state, clock.now())) return state.status === 'waiting' ? state.nextTryAt : undefined;
    const fact = news ?? (await facts.factOf(item.stream, factId, target));
    if (fact !== undefined && fact.merchant !== item.merchant) throw new Error(`${item.stream}: the fact is another merchant's`);
    const result = isTriedBefore(state, fact) ? NOT_ACKNOWLEDGED : await this.#try(factId, item.stream, fact);
    if (result.kind === 'not-sent') throw new CallbackNotSent(`a callback was not sent: ${result.cause}`);
    await this.#record({ factId, target, orderStream: item.stream }, state, result, fact?.orderId, {
      correlation: fact?.correlation ?? factId,
      callerTrace: fact?.callerTrace,
      causation: factId,
      actor: ACTOR,
      merchant: item.merchant,
    });
    return undefined;
  }

  async #try(factId: EventId, order: StreamName, fact: DeliveryFact | undefined): Promise<TryResult> {
    const { merchants, egress, clock, random } = this.#ports;
    // Failed attempts, not final states: the configuration may contain the address or merchant again within the schedule.
    if (fact === undefined) return { kind: 'failed', failure: { cause: 'no-address' } };
    const merchant = merchants.merchant(fact.merchant);
    if (merchant === undefined) return { kind: 'failed', failure: { cause: 'unknown-merchant' } };
    switch (fact.kind) {
      case 'callback': {
        const request = callbackRequest(factId, fact, fact.members, merchant, clock.now());
        return tryResultOf(await egress.send({ ...underTrace(request, fact, random), needs: 'status' }));
      }
      case 'notification': {
        const { merchantUrl, callback, cardMapping } = merchant;
        // The notification was switched off and may be switched on again within the schedule.
        if (merchantUrl === undefined || cardMapping === 'off') return { kind: 'failed', failure: { cause: 'no-address' } };
        const { notification } = fact;
        const now = clock.now();
        const controlKeys = controlKeysAt(merchant, now);
        const request = notificationRequest(notification, { merchantUrl, callback }, { order, now });
        return tryResultOf(await egress.send(underTrace(request, fact, random)), (body) => isAcknowledged(notification, body, controlKeys));
      }
      default:
        return unreachable(fact);
    }
  }

  async #record(
    identity: DeliveryIdentity,
    before: Delivery,
    result: Exclude<TryResult, { kind: 'not-sent' }>,
    orderId: string | undefined,
    about: Omit<Envelope, 'commandId' | 'recordedAt'>,
  ): Promise<void> {
    const { store, clock, ids, onTried } = this.#ports;
    const now = clock.now();
    const tryNumber = triesOf(before) + 1;
    const command = this.#commandOf(identity, tryNumber, result, now);
    const stream = deliveryStream(identity.factId, identity.target);
    const envelope: Envelope = { commandId: ids.next(), recordedAt: now, ...about };
    const run = { store, codec: deliveryCodec, decider: delivery, stream, command, envelope };
    const report = (isExhausted: boolean): void =>
      onTried?.({
        merchant: about.merchant,
        deliveryId: identity.factId,
        stream: identity.orderStream,
        serial: about.correlation,
        ...(about.callerTrace !== undefined && { callerTrace: about.callerTrace }),
        ...(orderId !== undefined && { orderId }),
        ...(result.kind === 'failed' && { cause: result.failure }),
        target: identity.target,
        tryNumber,
        outcome: result.kind === 'delivered' ? 'delivered' : result.failure.cause,
        isExhausted,
      });
    try {
      const recorded = await (before.status === 'untried' ? runOpeningDecision(run) : runDecision(run));
      report(recorded.kind === 'appended' && recorded.state.status === 'exhausted');
    } catch (error) {
      // If the attempt is stored and was the last one, no later attempt reports it.
      if (error instanceof OutcomeUnknown) report(isLastTry(before, command));
      throw error;
    }
  }

  #commandOf(
    identity: DeliveryIdentity,
    tryNumber: number,
    result: Exclude<TryResult, { kind: 'not-sent' }>,
    now: Instant,
  ): DeliveryCommand {
    if (result.kind === 'delivered') return { type: 'RecordSuccess', data: { delivery: identity, status: result.status, now } };
    const { random, speedFactor } = this.#ports;
    const { failure } = result;
    const chance = { fraction: random.fraction(), speedFactor };
    return { type: 'RecordFailure', data: { delivery: identity, tryNumber, failure, now, ...chance } };
  }
}
