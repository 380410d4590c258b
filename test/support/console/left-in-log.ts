import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { Approvals } from '@app/investigation/approvals';
import { isReport } from '@app/investigation/record';
import { systemClock, systemScheduler, systemIds } from '@app/kernel';
import { forgeLog, type LogRow } from '../forged-log';

// What time, a killed process or another release leaves in a log. Written while the service is stopped.

const LOG = 'events.sqlite';
const READ_MODEL = ['read-model.sqlite', 'read-model.sqlite-wal', 'read-model.sqlite-shm'];

const withLog = async <Result>(dataDir: string, run: (store: EmbeddedEventStore) => Promise<Result>): Promise<Result> => {
  const store = await EmbeddedEventStore.open({ path: join(dataDir, LOG), clock: systemClock, scheduler: systemScheduler });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
};

/** Seals and unseals nothing. */
const approvalsIn = (store: EmbeddedEventStore): Approvals => {
  const sealer = { takeKey: () => Promise.reject(new Error('no reason is sealed here')), unseal: () => Promise.resolve(undefined) };
  return new Approvals({ store, sealer, clock: systemClock, ids: systemIds, isReport });
};

/** As by a process that is killed before it executes the approved action. */
export const approveOnly = (dataDir: string, approvalId: string, approver: string): Promise<void> =>
  withLog(dataDir, async (store) => {
    const decided = await approvalsIn(store).approve(approvalId, { isAdmin: false, isAlone: false }, { actor: `operator:${approver}` });
    if (!('approval' in decided) || decided.approval.status !== 'approved') throw new Error(`not approved: ${approvalId}`);
  });

/** The newest event of a stream is of a type that the service does not know, and the read models are to be built again. Returns what undoes the first. */
export const makeUnreadable = (dataDir: string, stream: StreamName): (() => void) => {
  const path = join(dataDir, LOG);
  let row: LogRow | undefined;
  forgeLog(path, (log) => {
    row = log.newestOf(stream);
    log.put({ ...row, type: `${row.type}Later` });
  });
  for (const name of READ_MODEL) rmSync(join(dataDir, name), { force: true });
  return () => forgeLog(path, (log) => row !== undefined && log.put(row));
};
