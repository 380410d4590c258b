import { openEventLogReader } from '@app/event-store/stores';
import { Secret, systemClock, systemScheduler } from '@app/kernel';
import { openReadModel, type EventLog, type LocalReadModel, type ReadModel } from '@app/read-models';
import { decodeAny, DELIVERY_WORK, ORDER_WORK, openWorkDefinitions } from '@app/read-models/queries';
import { runAll } from '../../processes/production-databases';
import type { ServerStores } from '../../processes/server-stores';
import { until } from '../../until';
import { differences, takeRows, type Rows } from './read-model-rows';
import { readWholeLog, type Streams } from './whole-log';

const REST_WAIT_MS = 60_000;
const LEFT_SHOWN_MAX = 20;
const GENERATIONS = String.raw`select tablename from pg_tables where schemaname = current_schema() and tablename ~ '_g\d+$' order by 1`;

type Log = EventLog & { close(): Promise<void> };

const opened = async <Result>(stores: ServerStores, work: (log: Log, model: LocalReadModel) => Promise<Result>): Promise<Result> => {
  const log = await openEventLogReader({ kind: 'eventstoredb', url: new Secret(stores.eventStoreUrl) }, systemScheduler);
  try {
    const model = await openReadModel({
      url: new Secret(stores.databases.readModelUrl),
      scheduler: systemScheduler,
      log,
      decode: decodeAny,
      clock: systemClock,
      openWork: openWorkDefinitions,
    });
    try {
      return await work(log, model);
    } finally {
      await model.close();
    }
  } finally {
    await log.close();
  }
};

export const readLogOn = (stores: ServerStores): Promise<Streams> => opened(stores, (log) => readWholeLog(log));

const leftOn = async (log: Log, model: ReadModel): Promise<readonly string[]> => {
  const asked = await Promise.all([ORDER_WORK, DELIVERY_WORK].map((name) => model.openWork(name).list({ limit: LEFT_SHOWN_MAX })));
  const work = asked.flat().map(({ task, key }) => `${task} of ${key}`);
  if (work.length > 0) return work;
  const projected = [...(await readWholeLog(log)).values()].flat().filter(({ stored }) => isOf(model.categories, stored.stream));
  const states = await model.health();
  const behind = states.filter(
    ({ position }) => position === undefined || projected.some(({ stored }) => log.comparePositions(stored.position, position) > 0),
  );
  return behind.map(({ projection, position }) => `${projection} is projected up to ${position}`);
};

const isOf = (categories: readonly string[], stream: string): boolean => categories.includes(stream.slice(0, stream.indexOf('-')));

export const nothingLeftOn = (stores: ServerStores): Promise<void> =>
  opened(stores, async (log, model) => {
    let left: readonly string[] = [];
    await until(
      async () => {
        left = await leftOn(log, model);
        return left.length === 0;
      },
      { what: 'nothing left to do', timeoutMs: REST_WAIT_MS, seen: () => left },
    );
  });

const rowsOn = async (url: string): Promise<Rows> => {
  const rows: Rows = new Map();
  for (const { tablename } of await runAll(url, GENERATIONS)) {
    takeRows(rows, String(tablename), await runAll(url, `select * from ${String(tablename)}`));
  }
  return rows;
};

/** Compares every row of processes that have ended with a rebuild from their log (safety, I3). */
export const readModelFaultsOn = (stores: ServerStores): Promise<string[]> =>
  opened(stores, async (_log, model) => {
    const { readModelUrl } = stores.databases;
    const before = await rowsOn(readModelUrl);
    const states = await model.health();
    const parked = states.filter(({ parkedStreams }) => parkedStreams > 0).map(({ projection }) => `${projection} has parked streams`);
    await model.rebuild('all');
    return [...parked, ...differences(before, await rowsOn(readModelUrl))];
  });
