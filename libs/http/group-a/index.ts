export {
  type AdmittedRequest,
  type ExistingOrders,
  findExistingFollowUp,
  findExistingOrder,
  type ExistingAnswer,
  type KeyedTranslation,
  type Translation,
} from './translation';
export { Admitted } from '../request/served-by.decorator';
export { type Answer, type Answered, type Refusals, refused } from './answer';
export { contentParts } from './content';
export { ControlVerifier, type Signed } from './control-verifier';
export { GroupAOperation, type Serves, type SenderClaim, SenderVerifier } from './group-a-operation.decorator';
export { IdempotencyKeys } from './idempotency-keys';
export { OAuthVerifier } from './oauth-verifier';
