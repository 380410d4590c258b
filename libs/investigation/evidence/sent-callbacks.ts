import type { Accounts } from '@app/configuration';
import { callbackRequest, type CallbackFact, type CallbackFacts } from '@app/callbacks';
import type { DeliveryIdentity } from '@app/callbacks/events';
import { assertInTime, looksLikeCardNumber, type EventId } from '@app/event-store';
import type { Deadline, Instant } from '@app/kernel';
import { WITHHELD } from './withheld';
import type { RelatedEvent } from './related-event';
import type { SentCallback } from './gather-evidence';

/** Only a callback that was tried was sent: one that is due alone has no event. */
const TRIED: ReadonlySet<string> = new Set(['CallbackDelivered', 'CallbackFailed', 'CallbackExhausted']);

/** Content of a callback does not depend on when it is tried; headers do, and are not told. */
const WHENEVER = 0 as Instant;

/** Members that hold what a payer or a merchant typed. The others are numbers of orders and gates, of which one in ten would be taken for a card's. */
const TYPED = ['name', 'card-holder-name', 'email', 'merchantdata'] as const;

/** Makes the callbacks of an order again, as every try of them sends the same bytes (safety, I5), under the keys of today's configuration. */
export class SentCallbacks {
  constructor(
    private readonly facts: CallbackFacts,
    private readonly accounts: Pick<Accounts, 'merchant'>,
  ) {}

  /** @throws what store and vault throw; StoreUnavailable also where the deadline is over */
  async of(events: readonly RelatedEvent[], deadline?: Deadline): Promise<readonly SentCallback[]> {
    const tried = new Map<string, DeliveryIdentity>();
    for (const { stored } of events) if (TRIED.has(stored.type)) tried.set(stored.stream, JSON.parse(stored.data) as DeliveryIdentity);
    const sent: SentCallback[] = [];
    for (const { factId, target, orderStream } of tried.values()) {
      assertInTime(deadline);
      const fact = await this.facts.factOf(orderStream, factId, target);
      // What a merchant server is notified of is in the timeline; its message holds the session of the consumer's device.
      if (fact?.kind === 'notification') continue;
      sent.push({ webhookId: factId, target, content: fact === undefined ? null : this.#contentOf(factId, fact) });
    }
    return sent;
  }

  #contentOf(factId: EventId, fact: CallbackFact): string | null {
    const merchant = this.accounts.merchant(fact.merchant);
    if (merchant === undefined) return null;
    if (TYPED.some((name) => looksLikeCardNumber(fact.members[name] ?? ''))) return WITHHELD;
    const { body, query } = callbackRequest(factId, fact, fact.members, merchant, WHENEVER);
    return body ?? query ?? '';
  }
}
