export { paynetAdapter, type PaynetPorts } from './adapter';
export { PaynetGate } from './paynet-gate';
export { UpstreamCallbacks } from './upstream-callbacks';
export type { Upstream, UpstreamReply } from './upstream';
export type { UpstreamAccount } from './wire/upstream-account';
export { LATER_EVENT_WORDS, SETTLEMENT_COLUMNS } from './settlement/settlement-format';
