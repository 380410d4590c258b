export { PaynetGate } from './paynet-gate';
export { paynetSecrets, paynetSettings } from './settings.schema';
export type { PaynetParts, Upstream, UpstreamReply } from './upstream';
export type { UpstreamAccount } from './wire/upstream-account';
