import { UndecodableEvent, type AnyEvent, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Accounts, WhatIfRules } from '@app/configuration';
import type { MerchantLogin } from '@app/kernel';
import { decodeAny } from '@app/read-models/queries';
import { ROUTING_CATEGORY, routingVersionOf, rulesVersionOf, SCREENING_CATEGORY } from '@app/orders';
import type { ConfiguredRules, RoutingRule, RoutingRulesRecorded, ScreeningRulesRecorded } from '@app/orders/domain';
import { ORDER_STATUS_CATEGORIES, type OrderEvent } from '@app/read-models';
import { DecideAgain, type DecidedAgain, type RecordedRules, type SubmittedAgain } from './decide-again';
import { gatesOfToday, RulesByEndpoint, type EndpointRules } from './endpoint-rules';
import { PastOrder } from './past-order';

/** Orders that are followed at one time; with more of them the oldest are decided as if the log ended there. */
const OPEN_MAX = 200_000;
/** Versions of rules that are kept; an order that names an older one is decided as if its rules were not on record. */
const VERSIONS_MAX = 10_000;

export interface WhatIfSettings {
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly rules: WhatIfRules;
  readonly accounts: Pick<Accounts, 'gates' | 'merchant'>;
  /** The orders of this merchant alone. */
  readonly merchant?: MerchantLogin | undefined;
  /** Called for each order that the rules concern. */
  readonly onDecided: (decided: DecidedAgain) => void;
  /** Called now and then. */
  readonly onProgress?: (orders: number) => void;
  /** Ends the run where it is; what was decided by then was decided. */
  readonly isStopped?: () => boolean;
}

export interface WhatIfEnd {
  /** Orders of the log, or of the merchant. */
  readonly orders: number;
  /** Orders of entry points for which nothing changes: decided as they were. */
  readonly notConcerned: number;
  /** Orders that this release cannot read, or that lack an event. */
  readonly unreadable: number;
  /** More orders were open, or more cards counted, than are followed at one time. */
  readonly isIncomplete: boolean;
}

const PROGRESS_EVERY = 1_000;

interface Followed {
  readonly order: PastOrder;
  readonly rules: EndpointRules;
  submitted: SubmittedAgain | undefined;
  /** Of the newest event that was taken. */
  revision: bigint;
}

/** Rules by their versions, each recorded before the first order that names it. */
class RulesOnRecord implements RecordedRules {
  readonly #screening = new Map<string, ConfiguredRules>();
  readonly #routing = new Map<string, readonly RoutingRule[]>();

  screening(version: string): ConfiguredRules | undefined {
    return this.#screening.get(version);
  }

  routing(version: string): readonly RoutingRule[] | undefined {
    return this.#routing.get(version);
  }

  add(stream: StreamName, event: AnyEvent): void {
    if (this.#screening.size + this.#routing.size >= VERSIONS_MAX) return;
    if (event.type === 'ScreeningRulesRecorded') this.#screening.set(rulesVersionOf(stream), (event as ScreeningRulesRecorded).data);
    else if (event.type === 'RoutingRulesRecorded') this.#routing.set(routingVersionOf(stream), (event as RoutingRulesRecorded).data.rules);
  }
}

/** One pass over a log, in its order and in bounded memory. */
class WhatIf {
  readonly #settings: WhatIfSettings;
  readonly #rules: RulesByEndpoint;
  readonly #recorded = new RulesOnRecord();
  readonly #again: DecideAgain;
  readonly #open = new Map<StreamName, Followed>();
  #orders = 0;
  #notConcerned = 0;
  #unreadable = 0;
  #isIncomplete = false;

  constructor(settings: WhatIfSettings) {
    this.#settings = settings;
    this.#rules = new RulesByEndpoint(settings.rules);
    this.#again = new DecideAgain(gatesOfToday(settings.accounts), this.#recorded);
  }

  take(stored: StoredEvent): void {
    const { stream, type } = stored;
    const followed = this.#open.get(stream);
    if (followed !== undefined) return this.#goOn(followed, stored);
    if (type === 'OrderAccepted') return this.#accept(stored);
    if (type !== 'ScreeningRulesRecorded' && type !== 'RoutingRulesRecorded') return;
    const event = readable(stored);
    if (event !== undefined) this.#recorded.add(stream, event);
  }

  /** Decides what is open where the log ends. */
  end(): WhatIfEnd {
    for (const stream of [...this.#open.keys()]) this.#decide(stream);
    return {
      orders: this.#orders,
      notConcerned: this.#notConcerned,
      unreadable: this.#unreadable,
      isIncomplete: this.#isIncomplete || this.#again.isCountIncomplete,
    };
  }

  #accept(stored: StoredEvent): void {
    const event = readable(stored) as Extract<OrderEvent, { readonly type: 'OrderAccepted' }> | undefined;
    if (event === undefined) {
      this.#orders += 1;
      this.#unreadable += 1;
      return;
    }
    const { merchant, endpointId } = event.data;
    if (this.#settings.merchant !== undefined && merchant !== this.#settings.merchant) return;
    this.#orders += 1;
    if (this.#orders % PROGRESS_EVERY === 0) this.#settings.onProgress?.(this.#orders);
    const rules = this.#rules.of(merchant, endpointId);
    if (rules === undefined) {
      this.#notConcerned += 1;
      return;
    }
    const order = new PastOrder(event, read);
    this.#again.accept(order);
    this.#open.set(stored.stream, { order, rules, submitted: undefined, revision: stored.revision });
    if (this.#open.size <= OPEN_MAX) return;
    const [eldest] = this.#open.keys();
    if (eldest !== undefined) this.#decide(eldest);
    this.#isIncomplete = true;
  }

  #goOn(followed: Followed, stored: StoredEvent): void {
    const { order, rules } = followed;
    const { stream, revision } = stored;
    // A subscription that begins anew delivers some events again.
    if (revision <= followed.revision) return;
    if (revision !== followed.revision + 1n) return this.#passOver(stream);
    followed.revision = revision;
    this.#orPassOver(stream, () => {
      order.take(stored);
      if (followed.submitted === undefined && order.isSubmitted) followed.submitted = this.#again.screen(order, rules);
    });
    if (order.isEnded) this.#decide(stream);
  }

  #decide(stream: StreamName): void {
    const followed = this.#open.get(stream);
    if (followed === undefined) return;
    this.#orPassOver(stream, () => {
      const decided = this.#again.decide(followed.order, followed.rules, followed.submitted);
      this.#settings.onDecided(decided);
    });
    this.#open.delete(stream);
  }

  /** An order that this release cannot read is counted, and the others go on. */
  #orPassOver(stream: StreamName, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UndecodableEvent)) throw error;
      this.#passOver(stream);
    }
  }

  #passOver(stream: StreamName): void {
    this.#open.delete(stream);
    this.#unreadable += 1;
  }
}

/** The codec of the stream's category made it. */
const read = (stored: StoredEvent): Exclude<OrderEvent, { readonly type: 'OrderAccepted' }> =>
  decodeAny(stored) as Exclude<OrderEvent, { readonly type: 'OrderAccepted' }>;

const readable = (stored: StoredEvent): AnyEvent | undefined => {
  try {
    return decodeAny(stored);
  } catch (error) {
    if (error instanceof UndecodableEvent) return undefined;
    throw error;
  }
};

/**
 * Decides every order of a log again under other rules, as the log is now. It reads and computes: no gate is asked, no text is unsealed, nothing is
 * written.
 */
export const whatIf = async (settings: WhatIfSettings): Promise<WhatIfEnd> => {
  const run = new WhatIf(settings);
  const subscription = settings.log.subscribe([...ORDER_STATUS_CATEGORIES, SCREENING_CATEGORY, ROUTING_CATEGORY], 'start');
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up' || settings.isStopped?.() === true) break;
      if (item.kind === 'event') run.take(item.event);
    }
  } finally {
    await subscription.cancel();
  }
  return run.end();
};
