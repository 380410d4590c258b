import type { Figure, Findings } from '../harness/figure';
import { median } from '../harness/median';
import { askOnce } from '../harness/program';
import { ROUND_SECONDS, ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf } from '../load/appends';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { AppendLatency, Latencies } from '../programs/append-latency.program';
import type { LogVerified, LogVerify } from '../programs/log-verify.program';

const EVENTS = 500_000;
const APPENDS_PER_SECOND = 400;
/** With a checkpoint in it, which come every ten seconds. */
const APPEND_SECONDS = ROUND_SECONDS;
/** The slowest appends wait for the disk, which others use too: one pair says nothing of five percent. */
const APPEND_PAIRS = 3 * ROUNDS;
const FILL_TIMEOUT_MS = 900_000;
const TIMEOUT_MS = 300_000;

/** Measures what the tree of the log costs those who append, and how fast a log is verified. */
export const logProofs = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const dataDir = folder.folder('filled');
    await askOnce<Fill, Filled>('fill-log', { dataDir, orders: EVENTS / EVENTS_PER_ORDER, sample: 1 }, FILL_TIMEOUT_MS);
    const [grown, verified, cpu, without, kept, withoutP50, keptP50]: number[][] = [[], [], [], [], [], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      const question: LogVerify = { dataDir, proofs: folder.folder(`proofs-${round}`) };
      const timed = await askOnce<LogVerify, LogVerified>('log-verify', question, TIMEOUT_MS);
      grown?.push(rateOf(timed.grown));
      verified?.push(rateOf(timed.verified));
      cpu?.push(timed.verifiedCpuUs);
    }
    for (let pair = 0; pair < APPEND_PAIRS; pair++) {
      const latencies = (isTreeKept: boolean): Promise<Latencies> =>
        askOnce<AppendLatency, Latencies>(
          'append-latency',
          {
            folder: folder.folder(`appends-${isTreeKept}-${pair}`),
            count: APPENDS_PER_SECOND * APPEND_SECONDS,
            perSecond: APPENDS_PER_SECOND,
            isTreeKept,
          },
          TIMEOUT_MS,
        );
      // Who comes second has the warmer disk: the two take turns.
      const first = await latencies(pair % 2 === 0);
      const second = await latencies(pair % 2 !== 0);
      const [withTree, bare] = pair % 2 === 0 ? [first, second] : [second, first];
      kept?.push(withTree.p99Ms);
      keptP50?.push(withTree.p50Ms);
      without?.push(bare.p99Ms);
      withoutP50?.push(bare.p50Ms);
    }
    const figure = (name: string, unit: string, rounds: readonly number[] = [], bound?: Figure['bound']): Figure => ({
      name,
      unit,
      rounds,
      ...(bound !== undefined && { bound }),
    });
    return {
      figures: [
        figure('events verified', '/s', verified),
        figure('processor time of a verified event, all threads', 'µs', cpu),
        figure('events put into a new tree', '/s', grown),
        figure('append without the tree, p50', 'ms', withoutP50),
        figure('append with it, p50', 'ms', keptP50),
        figure('append without the tree, p99', 'ms', without),
        figure('append with it, p99', 'ms', kept),
        figure('append p99 with the tree against without, each the median of its runs', 'x', [median(kept ?? []) / median(without ?? [])], {
          kind: 'at-most',
          asked: 1.05,
        }),
      ],
      notes: [
        `Verified: ${EVENTS.toLocaleString('en')} events of approved recurrent payments and their callbacks, read from the file by a thread ahead of the one that hashes, and compared with tiles and a signed checkpoint.`,
        `Appends: ${APPENDS_PER_SECOND} a second for ${APPEND_SECONDS} s in each of ${APPEND_PAIRS} pairs, of about 1.3 kB, each timed from when it was due; with the tree kept in the same process, in rounds of half a second, and a checkpoint every ten.`,
      ],
    };
  });
