export { MemoryEventStore } from './memory-event-store';
