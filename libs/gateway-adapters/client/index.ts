export { GateClient } from './gate-client';
export { GateClients } from './gate-clients';
export { type PollingPorts, pollUntil } from './polling';
export type { GateReply } from './reply';
export type { GateRequest } from './request';
