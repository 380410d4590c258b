import type { CardHandle, CardUid, Instant, MerchantLogin } from '@app/kernel';
import type { OrderKeyId } from '../port';
import type { StoredOrderKey } from '../vault-store';

export interface MemoryCard {
  readonly merchant: MerchantLogin;
  readonly owner: string;
  readonly createdAt: Instant;
  readonly blob: Uint8Array;
}

interface MemoryUids {
  readonly byIndex: Map<string, CardUid>;
  readonly numberOf: Map<CardUid, number>;
  readonly numbers: Set<number>;
}

/** Test code: the disk of one vault, which outlives the stores opened on it. */
export class MemoryVault {
  readonly cards = new Map<CardHandle, MemoryCard>();
  readonly ownerless = new Set<CardHandle>();
  readonly orderKeys = new Map<OrderKeyId, StoredOrderKey>();
  readonly knownAnswers = new Map<string, Uint8Array>();
  readonly #uids = new Map<MerchantLogin, MemoryUids>();
  readonly #waiting = new Set<() => void>();
  #isStalled = false;

  uidsOf(merchant: MerchantLogin): MemoryUids {
    const known = this.#uids.get(merchant);
    if (known !== undefined) return known;
    const uids: MemoryUids = { byIndex: new Map(), numberOf: new Map(), numbers: new Set() };
    this.#uids.set(merchant, uids);
    return uids;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  stall(): void {
    this.#isStalled = true;
  }

  resume(): void {
    this.#isStalled = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  whenResumed(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => void this.#waiting.delete(wake);
  }
}
