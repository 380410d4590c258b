export type { AddressRefusal } from './targets/address-check';
export * from './egress';
export { nameServerResolution, type ResolveName } from './targets/name-resolution';
export { DELIVERED_STATUS, type EgressOutcome } from './outcome';
export { underTrace } from './under-trace';
export * from './targets/policy';
export { checkUrlAtAcceptance, refusalOfConfiguredTarget, type TargetRefusal, type UrlCheck } from './targets/url-check';
