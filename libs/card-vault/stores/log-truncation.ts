import type { Database } from '@app/databases/sqlite';

/** How long a reader of another process may hold the fold-in up; every other write waits meanwhile. */
const READERS_WAIT_MS = 50;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The write-ahead log keeps the pages as they were before a shredding until it is folded into the file and cut to nothing. That cannot be done
 * inside the transaction, so it follows the group's commit as a microtask: the group is applied in one turn, and the next message is not read
 * before the microtasks ran (an immediate could be kept waiting by a stream of messages). So a job sent after the shredding was answered finds
 * the log clean, where no reader holds it.
 */
export class LogTruncation {
  readonly #db: Database;
  #isDirty: boolean;
  #isScheduled = false;

  /** Runs outside a transaction: a log that a killed process left is folded in at once. */
  constructor(db: Database) {
    this.#db = db;
    this.#isDirty = !this.#truncate();
  }

  shredded(): void {
    this.#isDirty = true;
    this.#schedule();
  }

  isClean(): boolean {
    if (this.#isDirty) this.#schedule();
    return !this.#isDirty;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.#db.isOpen) this.#isDirty = !this.#truncate();
    });
  }

  #truncate(): boolean {
    this.#db.exec(`PRAGMA busy_timeout=${READERS_WAIT_MS}`);
    try {
      const { busy } = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      return busy === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    }
  }
}
