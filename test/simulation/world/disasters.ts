import type { DiskCopy, MemoryDisk } from '@app/read-models/testing';
import type { VirtualClock } from '@app/testing';
import type { Instances } from './instances';
import type { KeyRotation } from './key-rotation';
import type { KeyedChance } from './keyed-chance';
import type { Rebuilder } from './rebuilder';
import type { Swarm } from './swarm';

export interface DisasterSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly swarm: () => Swarm;
  readonly disk: MemoryDisk;
  /** The disk as no process ever used it. */
  readonly unused: DiskCopy;
  readonly keys: KeyRotation;
  readonly instances: Instances;
  readonly rebuilder: Rebuilder;
}

const HOUR_MS = 3_600_000;
const LEADERLESS_MS_MAX = 30_000;
const UNTOLD_MS_MAX = 20_000;
const ROTATION_GAP_MS = 60_000;

/** Disasters of the stores and the installation during the storm. Damage to the log itself is an aftermath. */
export class Disasters {
  #stormEndsAt = 0;

  constructor(private readonly settings: DisasterSettings) {}

  begin(withinMs: number): void {
    const { time, disk, unused, instances, swarm } = this.settings;
    const { database, vault } = swarm();
    this.#stormEndsAt = time.now() + withinMs;
    this.#once('database.all-lost', database.lost, withinMs, () => this.#startOver(() => disk.restore(unused)));
    this.#once('database.behind', database.behind, withinMs / 2, () => this.#restoresOlderCopy(withinMs / 2));
    this.#once('vault.key-rotated', vault.keyRotated, withinMs / 2, () => this.#rotatesKey());
    this.#often('log.leader-moves', ({ store }) => store.leaderMoves, () => this.#movesLeader());
    this.#often('database.ownership-lost', (now) => now.database.ownershipLost, () => instances.loseOwnership());
    this.#often('database.ownership-untold', (now) => now.database.ownershipUntold, () => this.#losesOwnershipUntold());
    this.#often('database.row-rots', (now) => now.database.rowsRot, () => this.#rots());
  } // prettier-ignore

  #once(site: string, share: number, withinMs: number, befall: () => void): void {
    const { chance, time } = this.settings;
    if (chance.happens(share, site)) time.after(chance.between(1, withinMs, `${site}-ms`), befall);
  }

  #often(site: string, perHour: (swarm: Swarm) => number, befall: () => void): void {
    const { chance, time, swarm } = this.settings;
    if (perHour(swarm()) === 0) return;
    const gapMs = chance.between(5_000, 60_000, `${site}-gap-ms`);
    time.after(gapMs, () => {
      if (time.now() >= this.#stormEndsAt) return;
      if (chance.happens((perHour(swarm()) * gapMs) / HOUR_MS, site)) befall();
      this.#often(site, perHour, befall);
    });
  }

  #startOver(whileNobodyRuns: () => void): void {
    const { instances, rebuilder } = this.settings;
    rebuilder.end();
    instances.endAll(whileNobodyRuns);
  }

  /** Every process must get the next key first: without it, a process cannot open newly sealed data. */
  #rotatesKey(): void {
    const { time, keys, instances } = this.settings;
    keys.addNextKey();
    instances.endEach('learns a key', ROTATION_GAP_MS / 2);
    time.after(ROTATION_GAP_MS, () => {
      keys.sealWithNextKey();
      instances.endEach('seals with a key', ROTATION_GAP_MS / 2);
    });
  }

  #movesLeader(): void {
    const { time, chance, instances } = this.settings;
    const leaderless = chance.between(1, LEADERLESS_MS_MAX, 'log.leaderless-ms');
    instances.leaderlessUntilMs = Math.min(time.now() + leaderless, this.#stormEndsAt);
  }

  #losesOwnershipUntold(): void {
    const { time, chance, instances } = this.settings;
    time.after(chance.between(1, UNTOLD_MS_MAX, 'database.untold-ms'), instances.loseOwnershipUntold());
  }

  #rots(): void {
    const { chance, disk } = this.settings;
    if (!disk.isInTransaction) disk.spoilRow((count) => chance.between(0, count - 1, 'database.rotten-row'));
  }

  #restoresOlderCopy(withinMs: number): void {
    const { time, chance, disk } = this.settings;
    if (disk.isInTransaction) return void time.after(1, () => this.#restoresOlderCopy(withinMs));
    const copy = disk.copy();
    time.after(chance.between(1, withinMs, 'database.behind-ms'), () => this.#startOver(() => disk.restore(copy)));
  }
}
