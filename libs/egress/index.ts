export * from './egress';
export { DELIVERED_STATUS, type EgressOutcome } from './outcome';
export { underTrace } from './under-trace';
export * from './targets/policy';
export { checkUrlAtAcceptance, refusalOfConfiguredTarget, type TargetRefusal } from './targets/url-check';
