export { GateClient, GateClients } from './gate-client';
export { type PollingPorts, pollUntil } from './polling';
export type { GateReply, GateRequest } from './request';
