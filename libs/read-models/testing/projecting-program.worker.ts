import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { openFileReadModel, serveProjecting } from '../thread/serve-projecting';
import { decode, orderWork } from './written-log';

export interface ProjectingProgramData {
  readonly log: string;
  readonly readModel: string;
  readonly isDying: boolean;
}

if (parentPort === null) throw new Error('runs in a worker thread only');
const { log: path, readModel, isDying } = workerData as ProjectingProgramData;

serveProjecting(parentPort, (news) => {
  const log = EmbeddedEventStore.openReader({ path, scheduler: systemScheduler });
  const model = openFileReadModel(readModel, { log, decode, clock: systemClock, openWork: [orderWork], ...news });
  if (isDying) model.apply = () => process.exit(3);
  return { model, close: () => log.close() };
});
