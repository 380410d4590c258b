import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '@app/databases/sqlite';
import type { Position } from '../../core/port';
import { LogPages, type WantedCategories } from './log-pages';
import { flatPage, type FromPageReader, type ToPageReader } from './pages-ahead.messages';

interface Way {
  readonly way: number;
  readonly categories: WantedCategories;
  after: Position;
  /** How many pages may still be read ahead. */
  pages: number;
}

const port = parentPort;
if (port === null) throw new Error('runs in a worker thread only');
const db = openDatabase(workerData as string, { readOnly: true });
const log = new LogPages(db);
const ways = new Map<number, Way>();
let isReading = false;

const send = (message: FromPageReader): void => port.postMessage(message);

/** Reads one page of one way, and looks at its messages before the next. */
const readOn = (): void => {
  isReading = false;
  const next = [...ways.values()].find(({ pages }) => pages > 0);
  if (next === undefined) return;
  // The ways take turns.
  ways.delete(next.way);
  try {
    const page = log.page(next.categories, next.after);
    send({ kind: 'page', way: next.way, page: flatPage(page) });
    if (!page.isAtEnd) ways.set(next.way, { ...next, after: page.scannedTo, pages: next.pages - 1 });
  } catch {
    send({ kind: 'failed', way: next.way });
  }
  readSoon();
};

const readSoon = (): void => {
  if (isReading) return;
  isReading = true;
  setImmediate(readOn);
};

port.on('message', (message: ToPageReader) => {
  switch (message.kind) {
    case 'begin': {
      const { way, categories, after, pages } = message;
      ways.set(way, { way, categories, after, pages });
      return readSoon();
    }
    case 'more': {
      const way = ways.get(message.way);
      if (way === undefined) return;
      way.pages += 1;
      return readSoon();
    }
    case 'end':
      ways.delete(message.way);
      return;
    case 'close':
      ways.clear();
      db.close();
      port.close();
  }
});
