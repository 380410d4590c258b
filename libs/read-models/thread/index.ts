export type { ThreadProgram } from './projecting-thread';
export { openFileReadModel, serveProjecting } from './serve-projecting';
