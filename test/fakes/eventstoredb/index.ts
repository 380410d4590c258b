export type { AppendFault, ReadFault, SubscriptionFault } from './faults';
export { WireServer, type WireServerSettings } from './wire-server';
