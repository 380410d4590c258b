import { join } from 'node:path';
import { CARD_REFERENCE_CATEGORY } from '@app/card-registration';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { openReadModel } from '@app/read-models';
import { openDatabase, type Database } from '@app/databases/sqlite';
import { decodeAny, openWorkDefinitions } from '@app/read-models/queries';
import { until } from '../../until';
import { withCopy } from './sqlite-files';

const GENERATION = /_g\d+$/;
const READ_MODEL = 'read-model.sqlite';

export type Rows = Map<string, string>;
export type StoredRow = Readonly<Record<string, unknown>>;

export const takeRows = (rows: Rows, table: string, stored: readonly StoredRow[]): void => {
  for (const row of stored) rows.set(`${table.replace(GENERATION, '')} ${String(row['key'] ?? row['stream'])}`, JSON.stringify(row));
};

/** Rows that a rebuild of the same log makes differently (safety, I3). */
export const differences = (before: Rows, after: Rows): string[] => {
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  return keys.map((key) => `${key}: the row is ${before.get(key)}, rebuilt it is ${after.get(key)}`);
};

const OPEN_WORK = /^open_work_/;
const PROJECTED = new Set([...openWorkDefinitions.flatMap(({ categories }) => categories), CARD_REFERENCE_CATEGORY]);
const LAST_PROJECTED = `SELECT max(position) AS last FROM events WHERE category IN (${[...PROJECTED].map((name) => `'${name}'`).join(', ')})`;

const rowsIn = (db: Database, wanted = GENERATION): Rows => {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as readonly { name: string }[];
  const rows: Rows = new Map();
  for (const { name } of tables.filter((table) => GENERATION.test(table.name) && wanted.test(table.name))) {
    takeRows(rows, name, db.prepare(`SELECT * FROM ${name}`).all() as readonly StoredRow[]);
  }
  return rows;
};

const rowsOf = (path: string): Rows => {
  const db = openDatabase(path, { readOnly: true });
  try {
    return rowsIn(db);
  } finally {
    db.close();
  }
};

/** Keeps one connection per file, because a closed one holds its descriptors until its statements are collected. */
const watchOpenWork = (dataDir: string): { left(): readonly string[]; close(): void } => {
  const events = openDatabase(join(dataDir, 'events.sqlite'), { readOnly: true });
  const model = openDatabase(join(dataDir, READ_MODEL), { readOnly: true });
  const lastProjected = events.prepare(LAST_PROJECTED);
  return {
    left: () => {
      const rows = [...rowsIn(model, OPEN_WORK).values()];
      const { last } = lastProjected.get() as { last: number | null };
      const { least } = model.prepare('SELECT min(CAST(position AS INTEGER)) AS least FROM checkpoints').get() as { least: number | null };
      const isProjected = last === null || (least !== null && least >= last);
      return isProjected ? rows : [...rows, `projected up to ${least} of ${last}`];
    },
    close: () => {
      events.close();
      model.close();
    },
  };
};

const REST_WAIT_MS = 60_000;

/** Opening fails briefly while another process creates or projects the file. */
const openedOnce = (dataDir: string): ReturnType<typeof watchOpenWork> | undefined => {
  try {
    return watchOpenWork(dataDir);
  } catch (error) {
    if (/unable to open database file|database is locked/.test(String(error))) return undefined;
    throw error;
  }
};

export const nothingLeft = async (dataDir: string): Promise<void> => {
  const work = await until(() => openedOnce(dataDir), { what: `the files of ${dataDir} to be readable` });
  try {
    await until(() => work.left().length === 0, { what: 'nothing left to do', timeoutMs: REST_WAIT_MS, seen: () => work.left() });
  } finally {
    work.close();
  }
};

/** Compares every row of a service at rest with a rebuild from its log (safety, I3), both on a copy. */
export const readModelFaults = (dataDir: string): Promise<string[]> =>
  withCopy(dataDir, async (copy) => {
    const before = rowsOf(join(copy, READ_MODEL));
    const log = EmbeddedEventStore.openReader({ path: join(copy, 'events.sqlite'), scheduler: systemScheduler });
    const parked: string[] = [];
    try {
      const model = await openReadModel({
        path: join(copy, READ_MODEL),
        log,
        decode: decodeAny,
        clock: systemClock,
        openWork: openWorkDefinitions,
      });
      try {
        const states = await model.health();
        parked.push(...states.filter(({ parkedStreams }) => parkedStreams > 0).map(({ projection }) => `${projection} has parked streams`));
        await model.rebuild('all');
      } finally {
        await model.close();
      }
    } finally {
      await log.close();
    }
    const after = rowsOf(join(copy, READ_MODEL));
    return [...parked, ...differences(before, after)];
  });
