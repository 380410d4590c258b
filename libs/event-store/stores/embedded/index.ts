export { EmbeddedEventStore, type EmbeddedEventStoreSettings } from './embedded-event-store';
export { WriterLocked } from './writer-lock';
