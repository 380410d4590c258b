import { backOffMs, BrokenChain } from '@app/event-store';
import type { Clock, Random, Scheduled, Scheduler } from '@app/kernel';
import { CheckpointIssuer, newOrigin, OriginDamaged, readOrigin, writeOrigin } from './checkpoint-issuer';
import { CheckpointStore } from './checkpoint-stores';
import type { SigningKey } from './checkpoint';
import { eventsAfter, type ReadableLog, LogTree, tailFault, type TreeFault } from './log-tree';
import type { ProofFiles } from './proof-files';
import { TileDamaged } from './tiles';

/** Minimum time between two checkpoints, if there are new events. */
export const CHECKPOINT_GAP_MS = 10_000;
/** A checkpoint is due at once with this many new events. */
const CHECKPOINT_EVENTS_MAX = 50_000;
export const ROUND_GAP_MS = 500;
const BACK_OFF_MIN_MS = 1_000;
const BACK_OFF_MAX_MS = 60_000;
/** Events between two yields to the event loop, well below a millisecond of work: appends must not wait for the tree. */
const EVENTS_PER_TURN = 16;
const ORIGIN_BYTES = 16;
/** Polling interval after a mismatch, which rarely resolves quickly. */
export const FAULT_GAP_MS = 60_000;

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Listener for the tree's events; it must not throw. */
export interface LogProofsListener {
  /** Called once if there is no key: the tree is kept, but nothing is signed. */
  unsigned(): void;
  /** Alarm: the log does not match the signed checkpoints or the tree. Signing stops until an operator intervenes. */
  inconsistent(fault: TreeFault): void;
  rebuilding(error: Error): void;
  retrying(error: unknown): void;
  witnessFailed(witness: string, error: unknown): void;
}

interface LogProofsSettings {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly key: SigningKey | undefined;
  readonly directories: readonly CheckpointStore[];
  /** Checked before every round: only one process keeps the tree. */
  readonly isKeeper: () => boolean;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'bytes'>;
  readonly listener: LogProofsListener;
}

export interface LogProofsHealth {
  readonly treeSize: number;
  readonly checkpoint: { readonly size: number; readonly madeAt: number } | undefined;
  readonly isSigning: boolean;
  /** Since when events lack a checkpoint or the tree cannot be kept; undefined if all are covered, or this process keeps no tree. */
  readonly waitingSince: number | undefined;
  readonly fault: TreeFault | undefined;
}

/** Keeps the log's Merkle tree and periodically signs its head. Works in the background, so that appends never wait for it. */
export class LogProofs {
  readonly #settings: LogProofsSettings;
  #tree: LogTree | undefined;
  #issuer: CheckpointIssuer | undefined;
  #timer: Scheduled | undefined;
  #round: Promise<void> = Promise.resolve();
  #failures = 0;
  #dueAt = 0;
  /** Without a key: size at the last periodic flush. */
  #issuedSize = -1;
  #health: LogProofsHealth;
  #isStopping = false;

  constructor(settings: LogProofsSettings) {
    this.#settings = settings;
    this.#health = { treeSize: 0, checkpoint: undefined, isSigning: settings.key !== undefined, waitingSince: undefined, fault: undefined };
  }

  start(): void {
    const { key, listener, clock } = this.#settings;
    if (key === undefined) listener.unsigned();
    this.#dueAt = clock.now() + CHECKPOINT_GAP_MS;
    this.#runLater(0);
  }

  /** Adds the remaining events and signs. */
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

  async #runOnce(isLast: boolean): Promise<number> {
    try {
      if (!this.#settings.isKeeper()) {
        // Another process may write the files in between.
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
      this.#settings.listener.retrying(error);
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
    const { files, listener } = this.#settings;
    try {
      return await LogTree.open(files);
    } catch (error) {
      if (!(error instanceof TileDamaged)) throw error;
      listener.rebuilding(error);
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
    const { key, files, directories, clock, listener } = this.#settings;
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
      neighbour: new CheckpointStore('log-proofs', files),
      directories,
      clock,
      onWitnessFailed: (witness, error) => listener.witnessFailed(witness, error),
    });
  }

  #noteWaiting(isWaiting: boolean): void {
    const { waitingSince } = this.#health;
    this.#health = { ...this.#health, waitingSince: isWaiting ? (waitingSince ?? this.#settings.clock.now()) : undefined };
  }

  /** A tree that does not match is evidence and stays unchanged. It is checked again, since the log may be restored. */
  #tell(fault: TreeFault | undefined): void {
    const isNew = fault !== undefined && JSON.stringify(fault) !== JSON.stringify(this.#health.fault);
    if (fault !== undefined) {
      this.#tree = undefined;
      // An operator may repair the name or a witness's folder in between.
      this.#issuer = undefined;
    }
    this.#health = { ...this.#health, fault };
    if (isNew) this.#settings.listener.inconsistent(fault);
  }
}
