import type { Scheduled, Scheduler } from '@app/kernel';
import type { Ownership, OwnershipEvents } from '../engine/database/database';
import type { UserLife } from './shared-connection';

export const TRY_GAP_MS = 1_000;

export class OwnershipSlot {
  owner: MemoryOwnership | undefined;
}

export class MemoryOwnership implements Ownership {
  readonly #slot: OwnershipSlot;
  readonly #scheduler: Scheduler;
  readonly #events: OwnershipEvents;
  #waiting: Promise<void> | undefined;
  #isReleased = false;
  #isHeld = false;
  #tell: (() => void) | undefined;
  #timer: Scheduled | undefined;
  #wake: (() => void) | undefined;

  constructor(slot: OwnershipSlot, scheduler: Scheduler, events: OwnershipEvents, life: UserLife) {
    this.#slot = slot;
    this.#scheduler = scheduler;
    this.#events = events;
    life.whenOver(() => this.#giveUp());
  }

  acquire(): Promise<void> {
    this.#waiting ??= this.#tryUntilHeld().finally(() => (this.#waiting = undefined));
    return this.#waiting;
  }

  confirm(): Promise<void> {
    this.#tell?.();
    return this.#isHeld ? Promise.resolve() : Promise.reject(new Error('the right to project is not held'));
  }

  async release(): Promise<void> {
    this.#giveUp();
    await this.#waiting?.catch(() => undefined);
  }

  lose(): void {
    this.loseUntold()();
  }

  /** Takes the right away. The user learns of it only when the returned function is called. */
  loseUntold(): () => void {
    if (this.#slot.owner !== this) return () => undefined;
    this.#slot.owner = undefined;
    const tell = (): void => {
      if (this.#tell !== tell) return;
      this.#tell = undefined;
      this.#isHeld = false;
      if (!this.#isReleased) this.#events.onLost(new Error('the session ended'));
    };
    this.#tell = tell;
    return tell;
  }

  async #tryUntilHeld(): Promise<void> {
    for (;;) {
      await Promise.resolve();
      if (this.#isReleased) throw new Error('the right to project was given up');
      if (this.#isHeld) return;
      this.#slot.owner ??= this;
      this.#isHeld = this.#slot.owner === this;
      if (this.#isHeld) return;
      this.#events.onWaiting(undefined);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#timer = this.#scheduler.after(TRY_GAP_MS, resolve);
      });
    }
  }

  #giveUp(): void {
    this.#isReleased = true;
    if (this.#slot.owner === this) this.#slot.owner = undefined;
    this.#timer?.cancel();
    this.#wake?.();
  }
}
