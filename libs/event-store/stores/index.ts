export { WriterLocked } from './embedded';
export {
  type EventStoreAddress,
  type EventStoreSettings,
  type OpenedEventStore,
  openEventLogReader,
  openEventStore,
} from './open-event-store';
