import { join } from 'node:path';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { PEERS_MISSING, peersAreInstalled, peerVersion } from '../harness/peers';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf, type Timed } from '../load/appends';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { EmmettReplay } from '../programs/emmett-replay.program';
import type { Rebuild } from '../programs/rebuild.program';

const EVENTS = 200_000;
/** Emmett's replay is stopped after so many events: its pace does not depend on the position in the log, and all of it would take minutes a round. */
const EVENTS_OF_EMMETT = 10_000;
const FILL_TIMEOUT_MS = 600_000;
const TIMEOUT_MS = 300_000;

/** Measures read models built from the start of the log. */
export const rebuild = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const hasPeers = peersAreInstalled();
    const dataDir = folder.folder('filled');
    await askOnce<Fill, Filled>('fill-log', { dataDir, orders: EVENTS / EVENTS_PER_ORDER, sample: 1 }, FILL_TIMEOUT_MS);
    const emmettFolder = folder.folder('emmett');
    if (hasPeers)
      await askOnce<EmmettReplay, Timed>('emmett-replay', { kind: 'fill', folder: emmettFolder, count: EVENTS }, FILL_TIMEOUT_MS);
    const read: number[] = [];
    const rebuilt: number[] = [];
    const replayed: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      read.push(rateOf(await askOnce<{ readonly dataDir: string }, Timed>('read-and-parse', { dataDir }, TIMEOUT_MS)));
      const path = join(folder.path, `read-model-${round}.sqlite`);
      rebuilt.push(rateOf(await askOnce<Rebuild, Timed>('rebuild', { dataDir, path }, TIMEOUT_MS)));
      if (!hasPeers) continue;
      const question: EmmettReplay = { kind: 'replay', folder: emmettFolder, processorId: `round-${round}`, count: EVENTS_OF_EMMETT };
      replayed.push(rateOf(await askOnce<EmmettReplay, Timed>('emmett-replay', question, TIMEOUT_MS)));
    }
    const rate = (name: string, rounds: readonly number[]): Figure => ({ name, unit: '/s', rounds });
    const againstEmmett = { kind: 'at-least', asked: 15, goal: 30 } as const;
    return {
      figures: [
        rate('events read and parsed, nothing else', read),
        rate('events rebuilt into all read models', rebuilt),
        ratioOf('rebuild against reading and parsing', rebuilt, read, { kind: 'at-least', asked: 0.7, goal: 0.9 }),
        ...(hasPeers
          ? [rate("events replayed by Emmett's consumer", replayed), ratioOf('rebuild against Emmett', rebuilt, replayed, againstEmmett)]
          : [{ name: 'rebuild against Emmett', unit: 'x', rounds: [], bound: againstEmmett, absent: PEERS_MISSING }]),
      ],
      notes: [
        `${EVENTS.toLocaleString('en')} events of approved recurrent payments and their delivered callbacks, through the codecs. The rebuild makes order status, card references, the search by identifier and the memories of both reactors.`,
        'Why it is missed: an event costs some 42 µs of the processors in three threads, where reading and parsing it take 8 to 10, so that two cores that share it perfectly give 0.4. The thread that folds is the one that is busy, 34 µs an event: a fifth each goes to reading rows, to the collector, and to rows made text with their checksums, a sixth each to decoding and to the hashes of the chain; the one that writes has 14. Tried, in turn, five rounds each on a machine with other work: reading ahead in a thread (23,301 events a second where 21,773 were, kept), 32 and 64 MiB of room for what is new (19,568 and 19,418 against 19,450), 8,000 and 500 rows gathered for a message in the place of 2,000 (21,211 and 20,184 against 21,773), 2,000 events a batch in the place of 500 (20,581).',
        ...(hasPeers
          ? [
              `Emmett ${peerVersion('@event-driven-io/emmett')}: as many events in its SQLite store, replayed by its consumer as it comes (100 messages a pull, 50 ms between pulls, a checkpoint a message), counting only; timed over the first ${EVENTS_OF_EMMETT.toLocaleString('en')}.`,
            ]
          : []),
      ],
    };
  });
