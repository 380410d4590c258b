import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { PEERS_MISSING, peersAreInstalled, peerVersion } from '../harness/peers';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf, type Appends, type Timed } from '../load/appends';

const WRITERS = 64;
const EVENTS = 40_000;
const EVENTS_OF_ONE_WRITER = 3_000;
const EVENTS_OF_EMMETT = 1_000;
const TIMEOUT_MS = 120_000;

/** Compares the embedded store with SQLite alone, and with another event store for SQLite. */
export const append = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const hasPeers = peersAreInstalled();
    let failed = 0;
    const run = async (program: string, round: number, count: number, writers: number): Promise<number> => {
      const question = { folder: folder.folder(`${program}-${writers}-${round}`), count, writers };
      const timed = await askOnce<Appends, Timed>(program, question, TIMEOUT_MS);
      failed += timed.failed ?? 0;
      return rateOf(timed);
    };
    const [raw, many, rawOne, one, emmett]: number[][] = [[], [], [], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      raw?.push(await run('raw-inserts', round, EVENTS, WRITERS));
      many?.push(await run('store-appends', round, EVENTS, WRITERS));
      rawOne?.push(await run('raw-inserts', round, EVENTS_OF_ONE_WRITER, 1));
      one?.push(await run('store-appends', round, EVENTS_OF_ONE_WRITER, 1));
      if (hasPeers) emmett?.push(await run('emmett-appends', round, EVENTS_OF_EMMETT, 1));
    }
    const rate = (name: string, rounds: readonly number[] = []): Figure => ({ name, unit: '/s', rounds });
    const againstEmmett = { kind: 'at-least', asked: 10 } as const;
    return {
      figures: [
        rate(`raw SQLite inserts in groups of ${WRITERS}`, raw),
        rate(`appends of the embedded store, ${WRITERS} writers`, many),
        ratioOf('appends against raw inserts', many ?? [], raw ?? [], { kind: 'at-least', asked: 0.5, goal: 0.75 }),
        rate('raw SQLite inserts, a synced commit each', rawOne),
        rate('appends of the embedded store, one writer', one),
        ...(hasPeers
          ? [
              rate("appends of Emmett's SQLite store, one writer", emmett),
              ratioOf('one writer against Emmett', one ?? [], emmett ?? [], againstEmmett),
            ]
          : [{ name: 'one writer against Emmett', unit: 'x', rounds: [], bound: againstEmmett, absent: PEERS_MISSING }]),
      ],
      notes: [
        `One event an append, each the first of its stream, about 1.3 kB; ${EVENTS.toLocaleString('en')} by ${WRITERS} writers, ${EVENTS_OF_ONE_WRITER.toLocaleString('en')} by one. Raw inserts: the same rows, table and pragmas, without thread, check or checksum.`,
        ...(hasPeers
          ? [
              `Emmett ${peerVersion('@event-driven-io/emmett')}, its SQLite store ${peerVersion('@event-driven-io/emmett-sqlite')} on sqlite3 ${peerVersion('sqlite3')}, as it comes: a connection an append. Its single-connection mode acknowledges before COMMIT and so is no peer: what it has acknowledged can be lost. ${failed} of its ${ROUNDS * EVENTS_OF_EMMETT} appends failed at COMMIT ("SQL statements in progress") and were tried again.`,
            ]
          : []),
      ],
    };
  });
