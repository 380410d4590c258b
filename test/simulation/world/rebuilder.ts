import type { EventStore, SubscriptionItem } from '@app/event-store';
import { sleep } from '@app/kernel';
import type { MemoryDatabase } from '@app/read-models/testing';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import { readModelOver, type Stores } from './stores';

export interface RebuilderSettings extends Stores {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly rebuilds: number;
}

const OCCASIONS = ['first', 'second'] as const;
const KILLED_SHARE = 0.4;
const STATEMENTS_MAX = 200;
/**
 * With many catch-ups: the maximum in 10,000 runs was 301. A higher count means that STATEMENTS_MAX misses read models, and no rebuild is
 * killed near its end.
 */
const STATEMENTS_OF_ANY = 400;
const ITEMS_AT_ONCE = 20;
const REST_MS_MAX = 3_000;

class Killed extends Error {}

/** Rebuilds all read models while the projector runs, in a separate process that may be killed at any statement. */
export class Rebuilder {
  readonly failures: unknown[] = [];
  readonly #running = new Set<MemoryDatabase>();

  constructor(private readonly settings: RebuilderSettings) {}

  begin(withinMs: number): void {
    const { time, chance, rebuilds } = this.settings;
    for (const occasion of OCCASIONS) {
      if (!chance.happens(rebuilds, 'rebuild.begins', occasion)) continue;
      time.after(chance.between(0, withinMs, 'rebuild.begins-at', occasion), () => void this.#rebuild(occasion));
    }
  }

  end(): void {
    for (const database of this.#running) database.end();
    this.#running.clear();
  }

  async #rebuild(occasion: string): Promise<void> {
    const { disk, chance } = this.settings;
    const isKilled = chance.happens(KILLED_SHARE, 'rebuild.killed', occasion);
    const statementsMax = isKilled ? chance.between(1, STATEMENTS_MAX, 'rebuild.killed-at', occasion) : Infinity;
    let statements = 0;
    const database = disk.open({
      interrupt: (_kind, when) => {
        if (when === 'after' || ++statements <= statementsMax) return;
        database.end();
        throw new Killed('the rebuild was killed');
      },
    });
    this.#running.add(database);
    const model = readModelOver({ ...this.settings, log: this.#slowly(occasion) }, { open: () => database });
    try {
      await model.rebuild('all');
      if (statements > STATEMENTS_OF_ANY) this.failures.push(new Error(`it had ${statements} statements, and none is killed so late`));
    } catch (error) {
      if (statements <= statementsMax && this.#running.has(database)) this.failures.push(error);
    } finally {
      this.#running.delete(database);
      database.end();
    }
  }

  #slowly(occasion: string): EventStore {
    const { log, time, chance } = this.settings;
    return {
      append: (...given) => log.append(...given),
      read: (...given) => log.read(...given),
      head: (deadline) => log.head(deadline),
      comparePositions: (a, b) => log.comparePositions(a, b),
      close: () => Promise.resolve(),
      subscribe: (categories, after) => {
        const session = log.subscribe(categories, after);
        async function* items(): AsyncGenerator<SubscriptionItem> {
          let count = 0;
          for await (const item of session) {
            if (++count % ITEMS_AT_ONCE === 0) await sleep(time, chance.between(1, REST_MS_MAX, 'rebuild.rests-ms', occasion));
            yield item;
          }
        }
        return { [Symbol.asyncIterator]: items, cancel: () => session.cancel() };
      },
    };
  }
}
