import { createTestDatabase, runOnce, startPostgres } from '@app/postgres/testing';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { PEERS_MISSING, peersAreInstalled, peerVersion } from '../harness/peers';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf, type Appends, type Timed } from '../load/appends';
import type { PostgresAppends } from '../programs/emmett-postgres-appends.program';

/** Writers at once, the work of either store in one round, and the bound of the ratio. */
const LOADS = [
  { writers: 1, events: 4_000, eventsOfEmmett: 1_500, asked: 3, goal: 3 },
  { writers: 16, events: 30_000, eventsOfEmmett: 4_000, asked: 8, goal: 10 },
  { writers: 64, events: 40_000, eventsOfEmmett: 4_000, asked: 12, goal: 15 },
] as const;
const WARM_UP = 500;
const TIMEOUT_MS = 120_000;

/** The settings that make a commit of PostgreSQL survive a crash; the server's own defaults. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** @throws Error where the server acknowledges what a crash may lose */
const versionOfDurable = async (url: string): Promise<string> => {
  const settings = await runOnce<{ name: string; setting: string }>(
    url,
    'select name, setting from pg_settings where name = any($1) or name = $2',
    [DURABLE, 'server_version'],
  );
  const setting = new Map(settings.map(({ name, setting }) => [name, setting]));
  const off = DURABLE.filter((name) => setting.get(name) !== 'on');
  if (off.length > 0) throw new Error(`PostgreSQL has ${off.join(', ')} not on: no peer of a store that keeps what it acknowledged`);
  return setting.get('server_version') ?? 'of unknown version';
};

/** Compares the embedded store with another event store of the same purpose, whose database is a server on the same machine. */
export const embeddedAgainstPostgres = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const byWriters = (writers: number): string => (writers === 1 ? 'one writer' : `${writers} writers`);
    if (!peersAreInstalled()) {
      const figures = LOADS.map(({ writers, asked, goal }): Figure => ({
        name: `appends against Emmett, ${byWriters(writers)}`,
        unit: 'x',
        rounds: [],
        bound: { kind: 'at-least', asked, goal },
        absent: PEERS_MISSING,
      }));
      return { figures, notes: [] };
    }
    const server = await startPostgres();
    try {
      const version = await versionOfDurable(server.url);
      const emmett = async (load: Omit<PostgresAppends, 'url'>): Promise<number> => {
        const database = await createTestDatabase(server);
        const times = await askOnce<PostgresAppends, Timed>('emmett-postgres-appends', { url: database.url, ...load }, TIMEOUT_MS);
        await database.drop();
        return rateOf(times);
      };
      const figures: Figure[] = [];
      for (const { writers, events, eventsOfEmmett, asked, goal } of LOADS) {
        const [own, peer]: [number[], number[]] = [[], []];
        for (let round = 0; round < ROUNDS; round++) {
          const question = { folder: folder.folder(`embedded-${writers}-${round}`), count: events, writers, warmUp: WARM_UP };
          own.push(rateOf(await askOnce<Appends, Timed>('store-appends', question, TIMEOUT_MS)));
          peer.push(await emmett({ count: eventsOfEmmett, writers, warmUp: WARM_UP }));
        }
        const by = byWriters(writers);
        figures.push(
          { name: `appends of the embedded store, ${by}`, unit: '/s', rounds: own },
          { name: `appends of Emmett's PostgreSQL store, ${by}`, unit: '/s', rounds: peer },
          ratioOf(`appends against Emmett, ${by}`, own, peer, { kind: 'at-least', asked, goal }),
        );
      }
      const counts = LOADS.map(
        ({ writers, events, eventsOfEmmett }) => `${events.toLocaleString('en')} and ${eventsOfEmmett.toLocaleString('en')} by ${writers}`,
      );
      return {
        figures,
        notes: [
          `One event an append, each expected to be the first of its stream, about 1.3 kB; a round gives the embedded store and Emmett ${counts.join(', ')}, after ${WARM_UP} of warming up, each in a process and a store of its own.`,
          `Emmett ${peerVersion('@event-driven-io/emmett')}, its PostgreSQL store ${peerVersion('@event-driven-io/emmett-postgresql')} on pg ${peerVersion('pg')}, as it comes: a pool of ten connections, a transaction an append. PostgreSQL ${version} on the same machine with its ordinary settings: ${DURABLE.join(', ')} on. Both stores acknowledge after the sync.`,
          'Why 16 and 64 writers are near what is asked and not beyond it: by a profile the thread that writes is busy more than nine tenths of the time, and 78 % of that is the commit (pages into the write-ahead log, the sync, the way into the file), 15 % the two statements of an append, 4 % messages. A page of the file holds three events, while the index of streams, whose names are random, has nearly each entry on another page: 4 KiB written for some 80 bytes.',
          'Tried for it, four rounds each in turn: a write-ahead log of 16 MiB and not of 4 before it is carried into the file (kept; 9 % more), of 64 MiB (another 5 %; not kept, for a read then looks through four tables of its index, and a start after a kill reads all of it), 16 MiB of memory for pages (nothing by 16, a tenth less by 64), no look for the end of a stream that is expected to be new (within the noise), messages of up to 64 appends to the thread and not 16 (a fifth less by 64).',
        ],
      };
    } finally {
      await server.stop();
    }
  });
