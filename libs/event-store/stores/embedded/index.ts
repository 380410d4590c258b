export * from './embedded-event-store';
export type { EventLogReader } from './event-log-reader';
export { WriterLocked } from './writer-lock';
export { LogDamaged } from './log-damaged';
