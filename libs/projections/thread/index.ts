export { openThreadedReadModel, type ThreadedReadModelSettings } from './threaded-read-model';
export type { ThreadProgram } from './projecting-thread';
export { openFileReadModel, serveProjecting } from './serve-projecting';
