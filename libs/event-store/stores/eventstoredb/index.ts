export { EventStoreDbEventStore, type EventStoreDbEventStoreSettings } from './event-store-db-event-store';
