import { addMs, type CardHandle, type Clock } from '@app/kernel';
import type { CardOwnership, CardVault, OwnerlessCard } from '@app/card-vault';
import type { EventStore, StreamName } from '@app/event-store';

/** Shredded after this time if the order was never accepted (safety, section 2.2). */
export const OWNERLESS_KEPT_MS = 15 * 60_000;
const CARDS_A_PAGE = 500;
/** At one sweep per minute, more cards than this service can accept in a minute. */
const PAGES_MAX = 200;
/** Concurrent, so that the vault's writes share commits. */
const CARDS_AT_ONCE = 50;

export interface Swept {
  readonly owned: number;
  readonly shredded: number;
}

/** Shreds cards whose order was never accepted because the process crashed. A card that any event of its stream names is never shredded. */
export class SweepOwnerlessCards {
  constructor(
    private readonly vault: Pick<CardVault, 'shred'> & CardOwnership,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * @param goesOn false ends the sweep early, and the next sweep finds the rest
   * @throws the error of a card's stream or vault row, after the other cards of its page
   */
  async sweep(goesOn: () => boolean = () => true): Promise<Swept> {
    let swept: Swept = { owned: 0, shredded: 0 };
    for (let page = 0; page < PAGES_MAX && goesOn(); page++) {
      const cards = await this.vault.ownerlessCards(addMs(this.clock.now(), -OWNERLESS_KEPT_MS), CARDS_A_PAGE);
      const fates: PromiseSettledResult<keyof Swept>[] = [];
      for (let first = 0; first < cards.length && goesOn(); first += CARDS_AT_ONCE) {
        const some = cards.slice(first, first + CARDS_AT_ONCE);
        fates.push(...(await Promise.allSettled(some.map((card) => this.shredUnlessOwned(card)))));
      }
      for (const fate of fates) if (fate.status === 'rejected') throw fate.reason;
      const owned = fates.filter((fate) => fate.status === 'fulfilled' && fate.value === 'owned').length;
      swept = { owned: swept.owned + owned, shredded: swept.shredded + fates.length - owned };
      if (cards.length < CARDS_A_PAGE) break;
    }
    return swept;
  }

  private async shredUnlessOwned(card: OwnerlessCard): Promise<keyof Swept> {
    if (await this.isOwned(card)) {
      await this.vault.markOwned(card.merchant, card.handle);
      return 'owned';
    }
    await this.vault.shred(card.merchant, card.handle);
    return 'shredded';
  }

  private async isOwned({ owner, handle }: OwnerlessCard): Promise<boolean> {
    for await (const { data } of this.store.read(owner as StreamName)) if (isNamed(handle, data)) return true;
    return false;
  }
}

/** A handle is 128 random bits, so its text in an event can only be a mention of it. */
const isNamed = (handle: CardHandle, data: string): boolean => data.includes(JSON.stringify(handle));
