export { paynetAdapter, type PaynetPorts } from './adapter';
export { PaynetGate } from './paynet-gate';
export { LATER_EVENT_WORDS, SETTLEMENT_COLUMNS } from './translation/settlement-format';
export type { Upstream, UpstreamReply } from './upstream';
export { UpstreamCallbacks } from './upstream-callbacks';
export type { UpstreamAccount } from './wire/operations';
