export {
  type AcceptanceRejection,
  answerToRepeat,
  firstGateOf,
  type Offer,
  type RepeatRejection,
  type RequestedOrder,
  type RequestedSums,
  termsOf,
  type TermsRejection,
} from './acceptance';
export {
  type AcceptedOrder,
  CALLBACK_TARGETS,
  type CallbackTarget,
  type Customer,
  type DevicePlan,
  isChargeable,
  type Operation,
  OPERATIONS,
  type OrderCard,
  type OrderDetails,
  type OrderInProgress,
  type Plan,
  plannedGate,
  type PlannedGate,
  type ReceivingCard,
  SEALED_FIELDS,
  type CardAtGates,
  cardAtPlannedGates,
  CHARGED_BY,
  type GateToken,
  knownAtGate,
  packTexts,
  unpackTexts,
} from './accepted-order';
export {
  type AttemptApproved,
  type AttemptDeclined,
  type AttemptEvent,
  type AttemptNotAsked,
  type AttemptSettled,
  type AttemptStarted,
  type AttemptTaken,
  type AttemptUnknown,
  type IssuerFacts,
  type LateResultConflict,
  type Loyalty,
  NOT_ASKED_CAUSES,
  type PayerChallenged,
  type PayerReturned,
  type RandomSumDigest,
  type Receipt,
  UNKNOWN_CAUSES,
} from './attempt.events';
export { type AttemptCommand, attempts, type GateAnswer, type GateChoice, type Taken } from './attempts';
export { type Attempt, type Attempts, claimedAt, evolveAttempts, isAtHostedChallenge, isPayerBack } from './attempts.state';
export { amountOfRouteStep, amountsOf, firstRouteStep, nextRouteStep, type RouteStep } from './cascade';
export { isContradiction, isEventOf } from './event-parts';
export {
  isAtGateFees,
  type CardsMapped,
  CHECK_FAILURES,
  type CheckFailure,
  type CommissionDiffered,
  type DeviceEvent,
  type FeeChosen,
  type FeeOffer,
  type FeesOffered,
  type GateFee,
  type GateFeeChosen,
  type GateFeesOffered,
  type MappedCard,
  type MerchantChecked,
  type MerchantCheckFailed,
  type RandomSumResult,
  type ReferredCard,
} from './device.events';
export {
  type AcceptDeviceOrder,
  type AcceptedDeviceOrder,
  ADDRESS_SEPARATOR,
  decideDeviceOrderState,
  type DeviceOrderAccepted,
  deviceOrderDecider,
  type DeviceOrderState,
  type DeviceTexts,
  type RequestedDeviceOrder,
  type SessionDigest,
} from './device/accepted-device-order';
export {
  type CheckResult,
  type DeviceCommand,
  isDeviceCommand,
  type DeviceOrder,
  type DeviceOrderEvent,
  type DeviceOrderRejection,
} from './device/device-commands';
export { decideDeviceOrder, type DeviceOrderCommand, deviceOrderOf, evolveDeviceOrder } from './device/device-order';
export { randomSum, randomSumResult, type RandomSumWithdrawn } from './device/random-sum';
export type { DisputeReport, RecordReport } from './dispute';
export {
  CHARGEBACK_STAGES,
  type ChargebackReceived,
  type ChargebackStage,
  type DisputeEvent,
  type FraudWarningReceived,
  MISFIT_CAUSES,
  type MisfitCause,
  needsAttention,
  REPORT_KINDS,
  REPORT_SOURCES,
  type ReportKind,
  reportKindOf,
  type ReportSetAside,
  REPRESENTMENT_OUTCOMES,
  type RepresentmentOutcome,
  type RepresentmentReported,
  type ReversalReported,
} from './dispute.events';
export {
  type FinalEvent,
  type OrderApproved,
  type OrderDeclined,
  type OrderFailed,
  type OrderFiltered,
  type FollowUpReconciled,
  type OutcomeReconciled,
  RECONCILED_OUTCOMES,
  type ReconciledOutcome,
} from './final.events';
export {
  CLAIMS_ANEW_WITHIN_MS,
  flightEndsAt,
  GATE_TIMEOUT_MS,
  LEAVES_WITHIN_MS,
  longestFlightMsOf,
  type Sent,
  CHALLENGE_INQUIRY_GAP_MS,
  INQUIRY_GAPS_MS,
  nextInquiryAt,
} from './inquiry-schedule';
export {
  FOLLOW_UP_OPERATIONS,
  type FollowUpAccepted,
  type FollowUpApproved,
  type FollowUpDeclined,
  type FollowUpEvent,
  type FollowUpFailed,
  type FollowUpOperation,
  type FollowUpSettled,
  type FollowUpStarted,
  type FollowUpUnknown,
  type LateFollowUpConflict,
  type FollowUp,
  followUpClaimedAt,
} from './follow-up.events';
export {
  type FollowUpAnswer,
  type FollowUpCommand,
  followUpFlightEndsAt,
  isFollowUpCommand,
  nextFollowUpStep,
  type NextFollowUpStep,
} from './follow-ups';
export { followedOrder } from './followed-order';
export { nextStep } from './next-step';
export { approvalOf, type GateApproval, gateApproval, type OrderFact } from './order-fact';
export {
  decideProcessing,
  evolveProcessing,
  FILTERED,
  INTERRUPTED,
  mayGoOn,
  NO_GATE,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  processingOf,
  type ProcessingRejection,
  SUBMIT_OVERDUE_MS,
} from './processing';
export { reasonText } from './reason-text';
export {
  FOLLOW_UPS_MAX,
  type FollowUpCapabilities,
  type FollowUpKind,
  type FollowUpRefusal,
  type RequestFollowUp,
} from './request-follow-up';
export {
  type ChosenRoute,
  type NextAttemptChosen,
  type RoutingRulesRecorded,
  DEFAULT_RULE,
  type RoutingChoice,
  type RoutingConditions,
  type RoutingRule,
  type Share,
} from './routing/routing-rules';
export {
  chooseRoute,
  gatesOf,
  heldRule,
  type MatchedRule,
  type PassedOver,
  type Route,
  routeBy,
  type RouteInputs,
} from './routing/choose-route';
export {
  afterCall,
  type Circuit,
  circuitAt,
  type CircuitSettings,
  closedCircuit,
  countsOf,
  type EndedCall,
  probe,
} from './routing/circuit';
export type { RouteFacts } from './routing/rule-conditions';
export {
  type AddressRange,
  screen,
  type ScreeningInputs,
  type ScreeningRules,
  type ConfiguredRules,
  type CountLimit,
  type OrderCounted,
  type OrderScreened,
  SCREENING_RULES,
  type ScreeningRule,
  type ScreeningRulesRecorded,
} from './screening';
