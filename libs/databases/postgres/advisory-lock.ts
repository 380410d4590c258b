import type { Scheduled, Scheduler } from '@app/kernel';
import { Client } from 'pg';
import { connectionSettings } from './database';

export interface AdvisoryLockSettings {
  readonly url: string;
  /** The lock has one holder across all processes of this database. */
  readonly name: string;
  readonly scheduler: Scheduler;
  /** Called when the lock's session ended. Another process may already have the lock. */
  readonly onLost: (error: Error) => void;
  /** Called after each failed attempt: another process has the lock, or the server is unavailable. */
  readonly onWaiting?: (error: Error | undefined) => void;
}

const TRY_GAP_MS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;
/** The server detects a lost holder after about 15 s and frees the lock. */
const SERVER_KEEP_ALIVE = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c idle_session_timeout=0';

/**
 * An advisory lock that lasts as long as its session. A holder learns late that its session ended, so its writes must be fenced too
 * (safety, F22).
 */
export class AdvisoryLock {
  readonly #settings: AdvisoryLockSettings;
  #session: Client | undefined;
  #isHeld = false;
  #waiting: Promise<void> | undefined;
  #isReleased = false;
  #timer: Scheduled | undefined;
  #wake: (() => void) | undefined;

  constructor(settings: AdvisoryLockSettings) {
    this.#settings = settings;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Resolves when this process has the lock; retries without limit.
   * @throws Error after `release`
   */
  acquire(): Promise<void> {
    if (this.#isHeld) return Promise.resolve();
    if (this.#isReleased) return Promise.reject(new Error(`the lock ${this.#settings.name} was given up`));
    this.#waiting ??= this.#tryUntilHeld().finally(() => (this.#waiting = undefined));
    return this.#waiting;
  }

  /**
   * Checks the lock in its own session.
   * @throws Error if it is not held or was lost
   */
  async confirm(): Promise<void> {
    const session = this.#session;
    if (!this.#isHeld || session === undefined) throw new Error(`the lock ${this.#settings.name} is not held`);
    try {
      await session.query('select 1');
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (this.#session === session) this.#lose(reason);
      throw reason;
    }
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#timer?.cancel();
    this.#wake?.();
    await this.#waiting?.catch(() => undefined);
    await this.#endSession();
  }

  async #tryUntilHeld(): Promise<void> {
    const { name, onWaiting } = this.#settings;
    for (;;) {
      let failure: Error | undefined;
      try {
        if (!this.#isReleased && (await this.#try())) break;
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        await this.#endSession();
      }
      if (this.#isReleased) throw new Error(`the lock ${name} was given up`);
      onWaiting?.(failure);
      await this.#pause();
    }
    this.#isHeld = true;
    this.#watchLater();
  }

  async #try(): Promise<boolean> {
    const session = (this.#session ??= await this.#connect());
    const { rows } = await session.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [
      this.#settings.name,
    ]);
    // The session, and with it the lock, may have ended before the response arrived.
    return rows[0]?.held === true && this.#session === session;
  }

  async #connect(): Promise<Client> {
    const { url, name } = this.#settings;
    const settings = { name, connectTimeoutMs: ANSWER_TIMEOUT_MS, statementTimeoutMs: ANSWER_TIMEOUT_MS };
    const session = new Client({ ...connectionSettings(url, settings), options: SERVER_KEEP_ALIVE });
    const onEnd = (error: Error): void => {
      if (this.#session === session) this.#lose(error);
    };
    session.on('error', onEnd);
    session.on('end', () => onEnd(new Error('the session ended')));
    await session.connect();
    return session;
  }

  #lose(error: Error): void {
    const wasHeld = this.#isHeld;
    const session = this.#session;
    this.#session = undefined;
    this.#isHeld = false;
    void session?.end().catch(() => undefined);
    if (!wasHeld) return;
    this.#timer?.cancel();
    this.#settings.onLost(error);
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#isHeld = false;
    await session?.end().catch(() => undefined);
  }

  #watchLater(): void {
    this.#timer = this.#settings.scheduler.after(TRY_GAP_MS, () => void this.#listener());
  }

  /** A silently dropped connection raises no error. */
  async #listener(): Promise<void> {
    const session = this.#session;
    if (!this.#isHeld || session === undefined) return;
    await this.confirm().catch(() => undefined);
    if (this.#session === session && !this.#isReleased) this.#watchLater();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#timer = this.#settings.scheduler.after(TRY_GAP_MS, resolve);
    });
  }
}
