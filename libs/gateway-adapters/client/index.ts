export { GateClient } from './gate-client';
export { GateClients } from './gate-clients';
export { pollUntil } from './polling';
export type { PollingPorts } from './polling';
export type { GateReply } from './reply';
export type { GateRequest } from './request';
