export { AnswerTooLarge, NoConnection } from './connection';
export {
  DELIVERED_STATUS,
  type Egress,
  EGRESS_DEADLINE_MS,
  type EgressOptions,
  type EgressOutcome,
  type EgressRequest,
  openEgress,
  underTrace,
} from './egress';
export { type AnswerHeaders, isEncoded } from './exchange';
export { type CallEnd, GuardedClient } from './guarded-client';
export {
  type AddressSource,
  checkUrlAtAcceptance,
  type EgressPolicy,
  egressPolicyOf,
  refusalOfConfiguredTarget,
  type TargetRefusal,
} from './target';
