export { GateClient } from './gate-client';
export { GateClients } from './gate-clients';
export type { GateClientOptions } from './options';
export { pollUntil } from './polling';
export type { PollingPorts } from './polling';
export type { GateReply, LostCause, NotSentCause } from './reply';
export type { GateRequest } from './request';
export type { TranscriptEntry } from './transcript';
