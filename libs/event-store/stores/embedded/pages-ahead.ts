import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startDatabaseThread } from '@app/databases/sqlite';
import type { Position } from '../../core/port';
import type { LogPage } from '../../subscribe/cursor-subscription';
import type { WantedCategories } from './log-pages';
import { pageOf, type FlatPage, type FromPageReader, type ToPageReader } from './pages-ahead.messages';

/** Pages of one way that lie ready, so that memory stays bounded. */
const PAGES_AHEAD_MAX = 4;

/** One pass over the log, page by page from where it began. */
export interface Way {
  /** The next page; undefined where the way ended: at the log's head, at a page that cannot be read, or with its thread. */
  next(): Promise<LogPage | undefined>;
  end(): void;
}

class WayAhead implements Way {
  readonly #taken: () => void;
  readonly #ended: () => void;
  readonly #ready: FlatPage[] = [];
  #isEnded = false;
  #waiting: ((page: LogPage | undefined) => void) | undefined;

  constructor(taken: () => void, ended: () => void) {
    this.#taken = taken;
    this.#ended = ended;
  }

  next(): Promise<LogPage | undefined> {
    const page = this.#ready.shift();
    if (page !== undefined) return Promise.resolve(this.#take(page));
    if (this.#isEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  end(): void {
    this.#ready.length = 0;
    this.finish();
    this.#ended();
  }

  receive(page: FlatPage): void {
    if (this.#isEnded) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#ready.push(page);
    else waiting(this.#take(page));
    if (page.isAtEnd) this.finish();
  }

  /** No page follows those that lie ready. */
  finish(): void {
    this.#isEnded = true;
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }

  #take(page: FlatPage): LogPage {
    this.#taken();
    return pageOf(page);
  }
}

/**
 * Reads a log in a second thread, ahead of whoever walks over it. It only ever saves time: a way may end at any page, and whoever walked it reads on
 * without it.
 */
export class PagesAhead {
  readonly #worker: Worker;
  readonly #ways = new Map<number, WayAhead>();
  readonly #exited: Promise<void>;
  #next = 0;
  #isOver = false;

  constructor(path: string) {
    this.#worker = startDatabaseThread(join(__dirname, 'pages-ahead.worker'), __filename, { workerData: path });
    this.#worker.on('message', (message: FromPageReader) => this.#receive(message));
    this.#worker.on('error', () => this.#finish());
    this.#exited = new Promise((resolve) =>
      this.#worker.once('exit', () => {
        this.#finish();
        resolve();
      }),
    );
    this.#worker.unref();
  }

  begin(categories: WantedCategories, after: Position): Way {
    const way = this.#next++;
    const ahead = new WayAhead(
      () => this.#send({ kind: 'more', way }),
      () => {
        this.#send({ kind: 'end', way });
        this.#forget(way);
      },
    );
    if (this.#isOver) {
      ahead.finish();
      return ahead;
    }
    this.#ways.set(way, ahead);
    // Who waits for a page keeps the process alive, and a thread without work does not.
    this.#worker.ref();
    this.#send({ kind: 'begin', way, categories, after, pages: PAGES_AHEAD_MAX });
    return ahead;
  }

  async close(): Promise<void> {
    if (!this.#isOver) {
      this.#worker.ref();
      this.#send({ kind: 'close' });
    }
    await this.#exited;
  }

  #receive(message: FromPageReader): void {
    const ahead = this.#ways.get(message.way);
    if (ahead === undefined) return;
    if (message.kind === 'page') ahead.receive(message.page);
    else ahead.finish();
    if (message.kind === 'failed' || message.page.isAtEnd) this.#forget(message.way);
  }

  #forget(way: number): void {
    this.#ways.delete(way);
    if (this.#ways.size === 0) this.#worker.unref();
  }

  #finish(): void {
    this.#isOver = true;
    for (const ahead of this.#ways.values()) ahead.finish();
    this.#ways.clear();
  }

  #send(message: ToPageReader): void {
    this.#worker.postMessage(message);
  }
}
