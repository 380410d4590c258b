export * from './embedded-event-store';
export { WriterLocked } from './writer-lock';
