import type { PlantedBug } from './planted-bug';
import { acknowledgeBeforeAppend } from './bugs/acknowledge-before-append';
import { believeNotFoundAtOnce } from './bugs/believe-not-found-at-once';
import { callBeforeAttemptStarted } from './bugs/call-before-attempt-started';
import { callbackDroppedOn4xx } from './bugs/callback-dropped-on-4xx';
import { checkpointBeforeApply } from './bugs/checkpoint-before-apply';
import { dedupFromReadModel } from './bugs/dedup-from-read-model';
import { markDeliveredBeforeSend } from './bugs/mark-delivered-before-send';
import { newCallbackIdPerTry } from './bugs/new-callback-id-per-try';
import { nextGateAfterUnknown } from './bugs/next-gate-after-unknown';
import { outcomeAppendedWithoutRevision } from './bugs/outcome-appended-without-revision';
import { resubmitOnRestart } from './bugs/resubmit-on-restart';
import { resubmitOnTimeout } from './bugs/resubmit-on-timeout';
import { resubmitUnderAnotherKey } from './bugs/resubmit-under-another-key';
import { secondFinalAllowed } from './bugs/second-final-allowed';
import { securityCodeInEvent } from './bugs/security-code-in-event';
import { sweeperShredsALiveKey } from './bugs/sweeper-shreds-a-live-key';
import { deliveryInItsOwnPartition } from './bugs/delivery-in-its-own-partition';
import { lateClaimIsNobodys } from './bugs/late-claim-is-nobodys';
import { floatAmount } from './bugs/float-amount';
import { lateResultFlipsState } from './bugs/late-result-flips-state';
import { overdueCallForgotten } from './bugs/overdue-call-forgotten';
import { lateAnswerDropped } from './bugs/late-answer-dropped';
import { claimLostToAnInquiry } from './bugs/claim-lost-to-an-inquiry';
import { oldClaimGivesUp } from './bugs/old-claim-gives-up';
import { clockSetBackFreezesWork } from './bugs/clock-set-back-freezes-work';
import { notificationRepeatedAtOnce } from './bugs/notification-repeated-at-once';
import { checkSkipped } from './bugs/check-skipped';
import { checkAnswerComparedWithItself } from './bugs/check-answer-compared-with-itself';
import { mappingByAnybody } from './bugs/mapping-by-anybody';
import { noncesInMemoryOnly } from './bugs/nonces-in-memory-only';
import { merchantMissingInCacheKey } from './bugs/merchant-missing-in-cache-key';
import { nextAmountAfterUnknown } from './bugs/next-amount-after-unknown';
import { nonIdempotentApply } from './bugs/non-idempotent-apply';
import { retryForEver } from './bugs/retry-for-ever';
import { lookWalksTheBacklog } from './bugs/look-walks-the-backlog';
import { missingFactIsNoAddress } from './bugs/missing-fact-is-no-address';
import { readModelsAheadOfTheLog } from './bugs/read-models-ahead-of-the-log';
import { brokenChainFolded } from './bugs/broken-chain-folded';
import { rottenRowTold } from './bugs/rotten-row-told';
import { oldGenerationLeft } from './bugs/old-generation-left';
import { overtakenOwnerWaitsForEver } from './bugs/overtaken-owner-waits-for-ever';
import { declinesUseUpFollowUps } from './bugs/declines-use-up-follow-ups';
import { twoProjectorsUnfenced } from './bugs/two-projectors-unfenced';
import { ruleNamedNotFollowed } from './bugs/rule-named-not-followed';

/** The faults of safety, section 4, that a world can show. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  resubmitOnTimeout,
  resubmitUnderAnotherKey,
  resubmitOnRestart,
  acknowledgeBeforeAppend,
  believeNotFoundAtOnce,
  nextGateAfterUnknown,
  callBeforeAttemptStarted,
  markDeliveredBeforeSend,
  newCallbackIdPerTry,
  callbackDroppedOn4xx,
  checkpointBeforeApply,
  secondFinalAllowed,
  securityCodeInEvent,
  sweeperShredsALiveKey,
  outcomeAppendedWithoutRevision,
  deliveryInItsOwnPartition,
  lateClaimIsNobodys,
  floatAmount,
  lateResultFlipsState,
  overdueCallForgotten,
  lateAnswerDropped,
  oldClaimGivesUp,
  claimLostToAnInquiry,
  clockSetBackFreezesWork,
  notificationRepeatedAtOnce,
  checkSkipped,
  checkAnswerComparedWithItself,
  mappingByAnybody,
  noncesInMemoryOnly,
  merchantMissingInCacheKey,
  nextAmountAfterUnknown,
  nonIdempotentApply,
  retryForEver,
  lookWalksTheBacklog,
  missingFactIsNoAddress,
  readModelsAheadOfTheLog,
  brokenChainFolded,
  rottenRowTold,
  declinesUseUpFollowUps,
  overtakenOwnerWaitsForEver,
  oldGenerationLeft,
  dedupFromReadModel,
  twoProjectorsUnfenced,
  ruleNamedNotFollowed,
];
