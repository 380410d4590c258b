export { WriterLocked } from './embedded';
export * from './open-event-store';
