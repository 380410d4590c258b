import { StoreUnavailable, type Position } from '@app/event-store';
import type { Ownership, ReadModelDatabase } from '../database/database';
import { asUnavailable } from '../faults';
import type { Partition } from './partition';
import type { LiveGenerations } from './live-generations';

export interface ProjectorRoleContext {
  readonly database: Pick<ReadModelDatabase, 'ownership'>;
  readonly live: LiveGenerations;
  readonly partition: Partition;
  /** Brings the read models into a state from which they can follow the log, while no other process projects. */
  readonly prepare: () => Promise<void>;
  /** Called every second while another process projects or the database is unavailable. */
  readonly onWaiting?: (error: Error | undefined) => void;
}

/** The role of the one process that projects a partition: taken once no other has it, lost with the connection that holds it, given up for good. */
export class ProjectorRole {
  readonly #live: LiveGenerations;
  readonly #prepare: () => Promise<void>;
  readonly #ownership: Ownership | undefined;
  #taken: Promise<Position | undefined> | undefined;
  #isLost = false;
  #isHeld = false;

  constructor({ database, live, partition, prepare, onWaiting }: ProjectorRoleContext) {
    this.#live = live;
    this.#prepare = prepare;
    this.#ownership = database.ownership?.({ onLost: () => this.#lose(), onWaiting: (error) => onWaiting?.(error) }, partition);
  }

  /** Whether this process is the one that projects its partition, as far as it knows. */
  get isHeld(): boolean {
    return this.#isHeld && !this.#isLost;
  }

  /** Returns the least checkpoint, or undefined where a projection has none. @throws StoreUnavailable */
  take(): Promise<Position | undefined> {
    this.#taken = this.#take();
    return this.#taken;
  }

  /** Waits until this process has the role, and takes it where it never did. @throws StoreUnavailable where it was lost */
  async held(): Promise<void> {
    if (this.#isLost) throw new StoreUnavailable('another process may project by now');
    await (this.#taken ?? this.take());
  }

  /** Lets another process project, for good. A waiting `take` rejects. */
  async release(): Promise<void> {
    this.#isHeld = false;
    await this.#ownership?.release();
  }

  async #take(): Promise<Position | undefined> {
    try {
      await this.#ownership?.acquire();
      if (this.#isLost || (await this.#isOvertaken())) this.#live.resign();
      this.#isLost = false;
      await this.#prepare();
      const checkpoint = await this.#live.claim();
      this.#isHeld = true;
      return checkpoint;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Who lost the right and was not told yet may claim behind its successor: when the answer of its first claim was lost too, it claims again. The successor,
   * which holds the right, then claims once more. @throws Error where this process is the one that lost it
   */
  async #isOvertaken(): Promise<boolean> {
    if (this.#ownership === undefined || !this.#live.isFencedOut) return false;
    await this.#ownership.confirm();
    return true;
  }

  #lose(): void {
    this.#isLost = true;
    this.#live.resign();
  }
}
