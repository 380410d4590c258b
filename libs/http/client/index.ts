export { type Egress, EGRESS_DEADLINE_MS, type EgressRequest, openEgress } from './egress';
export { DELIVERED_STATUS, type EgressOutcome } from './outcome';
export { type AddressSource, type EgressPolicy, egressPolicyOf } from './policy';
export { underTrace } from './under-trace';
export { checkUrlAtAcceptance, refusalOfConfiguredTarget, type TargetRefusal } from './url-check';
