export { paynetAdapter, type PaynetPorts } from './adapter';
export { HttpUpstream } from './http-upstream';
export { PaynetGate } from './paynet-gate';
export { paynetSecrets, paynetSettings } from './settings.schema';
export { UpstreamCallbacks } from './upstream-callbacks';
export type { PaynetParts, Upstream, UpstreamReply } from './upstream';
export type { UpstreamAccount } from './wire/upstream-account';
export { LATER_EVENT_WORDS, SETTLEMENT_COLUMNS } from './settlement/settlement-format';
