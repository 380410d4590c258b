export type { AddressRefusal } from './address-check';
export * from './egress';
export { nameServerResolution, type ResolveName } from './name-resolution';
export { DELIVERED_STATUS, type EgressOutcome } from './outcome';
export { underTrace } from './under-trace';
export * from './policy';
export { checkUrlAtAcceptance, refusalOfConfiguredTarget, type TargetRefusal, type UrlCheck } from './url-check';
