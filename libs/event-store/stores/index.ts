export { WriterLocked } from './embedded';
export * from './open-event-store';
export * from './withholding-store';
