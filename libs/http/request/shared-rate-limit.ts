import type { MerchantLogin, Secret } from '@app/kernel';
import { closeDatabase, migrate, openDatabase, type Database } from '@app/databases/postgres';
import { grantSlots, RATE_LIMIT_SCHEMA } from './grant-slots';
import type { Admission, RateLimit } from './rate-limit';

const SCHEMA_NAME = 'rate_limit';
const CONNECTIONS_MAX = 2;
/** Short limits, because a payment waits for the answer and must not wait for a database that is gone. */
const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 1_000;
const ANSWER_GRACE_MS = 500;
/** Requests that one query asks a slot for. */
const BATCH_MAX = 100_000;
/** After a failure the database is not queried for so long. */
const AWAY_MS = 1_000;

interface Waiting {
  readonly resolve: (admission: Admission) => void;
}

/** The requests of one merchant in this process. One query at a time runs for all that wait. */
interface MerchantQueue {
  waiting: Waiting[];
  isQuerying: boolean;
}

export interface SharedRateLimitSettings {
  readonly url: Secret<string>;
  readonly requestsPerSecond: number;
  /** Admits while the database is away, with the same number in each process by itself. */
  readonly fallback: RateLimit;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/**
 * The limit over all processes that share the read model's database. While the database is away each process admits up to the limit by itself: accepting
 * a payment needs no read model, so it is not turned away, and the sum over all processes stays bounded.
 */
export class SharedRateLimit implements RateLimit {
  readonly #db: Database;
  readonly #settings: SharedRateLimitSettings;
  readonly #queues = new Map<MerchantLogin, MerchantQueue>();
  #awayUntilMs = Number.NEGATIVE_INFINITY;

  private constructor(db: Database, settings: SharedRateLimitSettings) {
    this.#db = db;
    this.#settings = settings;
  }

  /** @throws DatabaseUnusable with one line that says what is wrong */
  static async open(settings: SharedRateLimitSettings): Promise<SharedRateLimit> {
    const db = await openDatabase(settings.url.reveal(), {
      name: 'rate limit',
      connectionsMax: CONNECTIONS_MAX,
      durability: 'rebuildable',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      answerGraceMs: ANSWER_GRACE_MS,
    });
    try {
      await migrate(db, SCHEMA_NAME, RATE_LIMIT_SCHEMA);
    } catch (error) {
      await closeDatabase(db);
      throw error;
    }
    return new SharedRateLimit(db, settings);
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    if (this.#isAway()) return this.#settings.fallback.admit(merchant);
    let queue = this.#queues.get(merchant);
    if (queue === undefined) {
      queue = { waiting: [], isQuerying: false };
      this.#queues.set(merchant, queue);
    }
    return new Promise((resolve) => {
      queue.waiting.push({ resolve });
      if (!queue.isQuerying) void this.#drain(merchant, queue);
    });
  }

  async close(): Promise<void> {
    await closeDatabase(this.#db);
  }

  async #drain(merchant: MerchantLogin, queue: MerchantQueue): Promise<void> {
    queue.isQuerying = true;
    while (queue.waiting.length > 0) await this.#admitBatch(merchant, queue.waiting.splice(0, BATCH_MAX));
    queue.isQuerying = false;
  }

  async #admitBatch(merchant: MerchantLogin, batch: readonly Waiting[]): Promise<void> {
    const { requestsPerSecond, fallback, monotonicMs, onAway } = this.#settings;
    if (!this.#isAway()) {
      try {
        const { granted, retryAfterMs } = await grantSlots(this.#db, merchant, batch.length, requestsPerSecond);
        for (const [index, { resolve }] of batch.entries())
          resolve(index < granted ? { kind: 'admitted' } : { kind: 'limited', retryAfterMs });
        return;
      } catch (error) {
        this.#awayUntilMs = monotonicMs() + AWAY_MS;
        onAway(error);
      }
    }
    for (const { resolve } of batch) resolve(await fallback.admit(merchant));
  }

  #isAway(): boolean {
    return this.#settings.monotonicMs() < this.#awayUntilMs;
  }
}
