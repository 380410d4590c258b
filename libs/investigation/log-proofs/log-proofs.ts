import { backOffMs, BrokenChain } from '@app/event-store';
import type { Clock, Random, Scheduled, Scheduler } from '@app/kernel';
import { CheckpointIssuer, newOrigin, OriginDamaged, readOrigin, writeOrigin } from './checkpoint-issuer';
import { type CheckpointPlace, FilesPlace } from './checkpoint-places';
import type { SigningKey } from './checkpoint';
import { eventsAfter, type ReadableLog, LogTree, tailFault, type TreeFault } from './log-tree';
import type { ProofFiles } from './proof-files';
import { TileDamaged } from './tiles';

/** A checkpoint is due this long after the one before it, where there are new events. */
export const CHECKPOINT_GAP_MS = 10_000;
/** And as soon as so many events are new. */
const CHECKPOINT_EVENTS_MAX = 50_000;
/** Between two looks at the log. */
export const ROUND_GAP_MS = 500;
const BACK_OFF_MIN_MS = 1_000;
const BACK_OFF_MAX_MS = 60_000;
/** Events between two turns of the event loop, well below a millisecond of work: an append that is answered in a few must not wait for the tree. */
const EVENTS_PER_TURN = 16;
const ORIGIN_BYTES = 16;
/** Between two looks at a log that does not fit: it does not mend by itself in a hurry. */
export const FAULT_GAP_MS = 60_000;

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Told of what the tree meets; nothing here may fail. */
export interface LogProofsWatch {
  /** Once: there is no key, so that the tree is kept and nothing is signed. */
  unsigned(): void;
  /** An alarm: the log is not what was signed, or not what the tree was made of. Nothing is signed until a person has looked. */
  inconsistent(fault: TreeFault): void;
  /** The tiles were damaged and are built again from the log. */
  rebuilding(error: Error): void;
  /** It is tried again. */
  retrying(error: unknown): void;
  witnessFailed(witness: string, error: unknown): void;
}

interface LogProofsSettings {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  /** Undefined: nothing is signed. */
  readonly key: SigningKey | undefined;
  /** Witnesses. */
  readonly directories: readonly CheckpointPlace[];
  /** Whether this process is the one that keeps the tree; asked before every round. */
  readonly isKeeper: () => boolean;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'bytes'>;
  readonly watch: LogProofsWatch;
}

/** For metrics and health. */
export interface LogProofsHealth {
  readonly treeSize: number;
  /** Undefined while none was made by this process. */
  readonly checkpoint: { readonly size: number; readonly madeAt: number } | undefined;
  readonly isSigning: boolean;
  /** Since when events are under no checkpoint, or the tree cannot be kept; undefined where all is under one, and in a process that keeps no tree. */
  readonly waitingSince: number | undefined;
  readonly fault: TreeFault | undefined;
}

/** Keeps the Merkle tree behind the log and signs its head from time to time: in rounds, so that an append never waits for it. */
export class LogProofs {
  readonly #settings: LogProofsSettings;
  #tree: LogTree | undefined;
  #issuer: CheckpointIssuer | undefined;
  #timer: Scheduled | undefined;
  #round: Promise<void> = Promise.resolve();
  #failures = 0;
  #dueAt = 0;
  /** Without a key: of the last flush at an interval. */
  #issuedSize = -1;
  #health: LogProofsHealth;
  #isStopping = false;

  constructor(settings: LogProofsSettings) {
    this.#settings = settings;
    this.#health = { treeSize: 0, checkpoint: undefined, isSigning: settings.key !== undefined, waitingSince: undefined, fault: undefined };
  }

  start(): void {
    const { key, watch, clock } = this.#settings;
    if (key === undefined) watch.unsigned();
    this.#dueAt = clock.now() + CHECKPOINT_GAP_MS;
    this.#runLater(0);
  }

  /** Takes what the log has by now, and signs it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    await this.#round;
    await this.#runOnce(true);
  }

  health(): LogProofsHealth {
    return this.#health;
  }

  #runLater(delayMs: number): void {
    if (this.#isStopping) return;
    this.#timer = this.#settings.scheduler.after(delayMs, () => {
      this.#round = this.#runOnce(false).then((gapMs) => this.#runLater(gapMs));
    });
  }

  /** @returns when the next round is due */
  async #runOnce(isLast: boolean): Promise<number> {
    try {
      if (!this.#settings.isKeeper()) {
        // Another process may write the files meanwhile.
        this.#tree = undefined;
        this.#health = { ...this.#health, waitingSince: undefined };
        return ROUND_GAP_MS;
      }
      const fault = await this.#advance(isLast);
      this.#failures = 0;
      this.#tell(fault);
      this.#noteWaiting(this.#health.treeSize > this.#issuedSize);
      return fault === undefined ? ROUND_GAP_MS : FAULT_GAP_MS;
    } catch (error) {
      this.#tree = undefined;
      this.#noteWaiting(true);
      if (error instanceof OriginDamaged) {
        this.#tell({ kind: 'name-unreadable', file: error.file });
        return FAULT_GAP_MS;
      }
      if (error instanceof BrokenChain) {
        const { position, stream, revision } = error.event;
        this.#tell({ kind: 'event-unreadable', position, stream, revision: Number(revision) });
        return FAULT_GAP_MS;
      }
      this.#failures += 1;
      this.#settings.watch.retrying(error);
      return backOffMs(this.#failures, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS);
    }
  }

  async #advance(isLast: boolean): Promise<TreeFault | undefined> {
    const { log, files } = this.#settings;
    if (this.#tree === undefined) {
      const opened = await this.#opened();
      const fault = await tailFault(opened, log, files);
      if (fault !== undefined) return fault;
      this.#tree = opened;
    }
    const tree = this.#tree;
    const head = await log.head();
    const ahead = tree.position === 'start' ? 1 : log.comparePositions(head, tree.position);
    if (ahead < 0) return { kind: 'log-shorter', treeSize: tree.size };
    if (ahead > 0) await this.#grow(tree);
    return isLast || this.#isCheckpointDue(tree) ? this.#checkpoint(tree) : undefined;
  }

  async #opened(): Promise<LogTree> {
    const { files, watch } = this.#settings;
    try {
      return await LogTree.open(files);
    } catch (error) {
      if (!(error instanceof TileDamaged)) throw error;
      watch.rebuilding(error);
      return LogTree.anew(files);
    }
  }

  async #grow(tree: LogTree): Promise<void> {
    const { log } = this.#settings;
    let events = 0;
    for await (const event of eventsAfter(log, tree.position)) {
      tree.add(event);
      events += 1;
      if (tree.isFull) await tree.flush();
      if (events % EVENTS_PER_TURN === 0) await eventLoopTurn();
    }
    this.#health = { ...this.#health, treeSize: tree.size };
  }

  #isCheckpointDue(tree: LogTree): boolean {
    if (tree.size === this.#issuedSize) return false;
    return this.#settings.clock.now() >= this.#dueAt || tree.size - Math.max(this.#issuedSize, 0) >= CHECKPOINT_EVENTS_MAX;
  }

  async #checkpoint(tree: LogTree): Promise<TreeFault | undefined> {
    const { clock } = this.#settings;
    this.#dueAt = clock.now() + CHECKPOINT_GAP_MS;
    await tree.flush();
    const issuer = (this.#issuer ??= await this.#newIssuer());
    const issued = tree.size === 0 ? undefined : await issuer?.issue(tree);
    if (issued?.kind === 'inconsistent') return issued.fault;
    this.#issuedSize = tree.size;
    if (issued === undefined) return undefined;
    const { checkpoint } = issued;
    this.#health = { ...this.#health, checkpoint: { size: checkpoint.size, madeAt: clock.now() } };
    return undefined;
  }

  async #newIssuer(): Promise<CheckpointIssuer | undefined> {
    const { key, files, directories, clock, watch } = this.#settings;
    if (key === undefined) return undefined;
    const known = await readOrigin(files);
    const origin = known ?? newOrigin(this.#settings.random.bytes(ORIGIN_BYTES));
    let isKept = known !== undefined;
    return new CheckpointIssuer({
      key,
      origin,
      keepOrigin: async () => {
        if (!isKept) await writeOrigin(origin, files);
        isKept = true;
      },
      neighbour: new FilesPlace('log-proofs', files),
      directories,
      clock,
      onWitnessFailed: (witness, error) => watch.witnessFailed(witness, error),
    });
  }

  #noteWaiting(isWaiting: boolean): void {
    const { waitingSince } = this.#health;
    this.#health = { ...this.#health, waitingSince: isWaiting ? (waitingSince ?? this.#settings.clock.now()) : undefined };
  }

  /** A tree that does not fit stays as it is: it is evidence. It is looked at again, since a log may come back. */
  #tell(fault: TreeFault | undefined): void {
    const isNew = fault !== undefined && JSON.stringify(fault) !== JSON.stringify(this.#health.fault);
    if (fault !== undefined) {
      this.#tree = undefined;
      // A person may mend the name or a witness's folder meanwhile.
      this.#issuer = undefined;
    }
    this.#health = { ...this.#health, fault };
    if (isNew) this.#settings.watch.inconsistent(fault);
  }
}
