import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { decodeAny, openWorkUnder } from '@app/read-models/queries';
import { openFileReadModel, serveProjecting } from '@app/read-models/thread';
import type { ProjectedFiles } from './running-work';

if (parentPort === null) throw new Error('runs in a worker thread only');
const { log: logPath, readModel, retention } = workerData as ProjectedFiles;

serveProjecting(parentPort, (news) => {
  const log = EmbeddedEventStore.openReader({ path: logPath, scheduler: systemScheduler });
  const settings = { log, decode: decodeAny, clock: systemClock, openWork: openWorkUnder(retention), ...news };
  return { model: openFileReadModel(readModel, settings), close: () => log.close() };
});
