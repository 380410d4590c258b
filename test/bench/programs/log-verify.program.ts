import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { Timed } from '../load/appends';
import { keptLog } from '../load/kept-log';

const { verifyLog } = built<typeof import('@app/audit')>('libs/audit/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

export interface LogVerify {
  readonly dataDir: string;
  /** Of the tree, which is made anew. */
  readonly proofs: string;
}

export interface LogVerified {
  readonly grown: Timed;
  readonly verified: Timed;
  /** Processor time of the verification, all threads, by event. */
  readonly verifiedCpuUs: number;
}

/** Makes the tree of a log and signs it, then verifies all of it, both as the service and the command line do. */
answerQuestions(async ({ dataDir, proofs }: LogVerify): Promise<LogVerified> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler: systemScheduler, readsAhead: true });
  const { keeper, files, places, key } = keptLog(log, proofs);
  const grownFrom = performance.now();
  await keeper.stop();
  const grownMs = performance.now() - grownFrom;
  const cpuFrom = process.cpuUsage();
  const verifiedFrom = performance.now();
  const report = await verifyLog({
    log,
    files,
    places,
    key: key.verifier,
    origin: await keptLog.originOf(files),
    knownCategories: new Set(),
  });
  const verifiedMs = performance.now() - verifiedFrom;
  const cpu = process.cpuUsage(cpuFrom);
  await log.close();
  if (report.findings.length > 0 || report.checkpoints.newest?.size !== report.events) throw new Error('the log was not found to be sound');
  return {
    grown: { count: report.events, elapsedMs: grownMs },
    verified: { count: report.read, elapsedMs: verifiedMs },
    verifiedCpuUs: (cpu.user + cpu.system) / report.read,
  };
});
