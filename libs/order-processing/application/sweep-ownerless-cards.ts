import { addMs, type CardHandle, type Clock } from '@app/kernel';
import type { CardOwnership, CardVault, OwnerlessCard } from '@app/card-vault';
import type { EventStore, StreamName } from '@app/event-store';

/** A card whose order never came to be is kept no longer than this (safety, section 2.2). */
export const OWNERLESS_KEPT_MS = 15 * 60_000;
const CARDS_A_SWEEP_MAX = 500;

export interface Swept {
  readonly owned: number;
  readonly shredded: number;
}

/**
 * Shreds cards that were kept for an order whose acceptance was never appended, because the process died between the two. The log decides:
 * a card that any event of its stream names is owned, however late the sweeper learns of it.
 */
export class SweepOwnerlessCards {
  constructor(
    private readonly vault: Pick<CardVault, 'shred'> & CardOwnership,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  async sweep(): Promise<Swept> {
    const swept = { owned: 0, shredded: 0 };
    const cards = await this.vault.ownerlessCards(addMs(this.clock.now(), -OWNERLESS_KEPT_MS), CARDS_A_SWEEP_MAX);
    for (const card of cards) {
      if (await this.isOwned(card)) {
        await this.vault.markOwned(card.merchant, card.handle);
        swept.owned++;
      } else {
        await this.vault.shred(card.merchant, card.handle);
        swept.shredded++;
      }
    }
    return swept;
  }

  private async isOwned({ owner, handle }: OwnerlessCard): Promise<boolean> {
    for await (const { data } of this.store.read(owner as StreamName)) if (isNamed(handle, data)) return true;
    return false;
  }
}

/** A handle is 128 random bits, so its text in an event is its mention. */
const isNamed = (handle: CardHandle, data: string): boolean => data.includes(JSON.stringify(handle));
