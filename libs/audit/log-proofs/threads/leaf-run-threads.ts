import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startDatabaseThread } from '@app/sqlite';
import type { LeafRun, LeafRuns, RunOfTiles } from '../verifying/leaf-runs';
import type { FromLeafRuns, LeafRunsData, ToLeafRuns } from './leaf-runs.messages';

/** More would wait for the disk, and for the one that compares. */
const THREADS_MAX = 4;
/** Few enough that every thread has work until the end, and that a stop is soon. */
const RUN_TILES = 16;
/** A thread starts in about the time that the hashes of so many tiles take. */
const WORTHWHILE_TILES = 64;
/** A page of rows and its texts are gone with the next: with room for many of them, few are looked at by the collector. */
const YOUNG_GENERATION_MIB = 32;

interface Waiting {
  readonly resolve: (run: LeafRun | undefined) => void;
  readonly reject: (error: Error) => void;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** One thread, which answers in order. */
class LeafRunThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #ended: Promise<void>;
  #failure: Error | undefined;

  constructor(path: string) {
    this.#worker = startDatabaseThread(join(__dirname, 'leaf-runs.worker'), __filename, {
      workerData: { path } satisfies LeafRunsData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    this.#ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
    this.#worker.on('message', (message: FromLeafRuns) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('a thread that hashes the log has ended')));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  of({ after, to, tiles }: RunOfTiles): Promise<LeafRun | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage({ after, to, tiles } satisfies ToLeafRuns);
    });
  }

  close(): Promise<void> {
    this.#worker.postMessage('close' satisfies ToLeafRuns);
    return this.#ended;
  }

  #receive(message: FromLeafRuns): void {
    const waiting = this.#waiting.shift();
    if (message.kind === 'irregular') {
      waiting?.resolve(undefined);
      return;
    }
    const { leaves, roots, leftOut, leftOutCategories } = message;
    waiting?.resolve({ leaves: bufferOf(leaves), roots: bufferOf(roots), leftOut, leftOutCategories });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** Hashes runs of an embedded store's file in threads, each with a connection of its own. They start with the first run. */
export class LeafRunThreads implements LeafRuns {
  readonly #path: string;
  readonly #threads: LeafRunThread[] = [];
  readonly sideBySide: number;
  readonly tilesMax = RUN_TILES;

  constructor(path: string, threads = availableParallelism()) {
    this.#path = path;
    this.sideBySide = Math.min(Math.max(1, threads), THREADS_MAX);
  }

  isWorthwhile(tiles: number): boolean {
    return tiles >= WORTHWHILE_TILES;
  }

  /** @throws Error where the file cannot be opened, or a thread fails */
  of(run: RunOfTiles): Promise<LeafRun | undefined> {
    while (this.#threads.length < this.sideBySide) this.#threads.push(new LeafRunThread(this.#path));
    const [idlest] = [...this.#threads].sort((a, b) => a.waiting - b.waiting);
    if (idlest === undefined) throw new Error('there is no thread');
    return idlest.of(run);
  }

  /** Resolves when the threads have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
