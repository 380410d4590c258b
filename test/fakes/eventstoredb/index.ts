export type { AppendFault, ReadFault, SubscriptionFault } from './faults';
export { WireServerFaults } from './faults';
export { WireServerLog } from './log/wire-server-log';
export { WireServer, type WireServerSettings } from './wire-server';
