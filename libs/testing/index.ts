export { timeOver } from './call-limit';
export { eventually } from './eventually';
export { expectSame } from './expect-same';
export { contractCharge, contractFollowUp, contractRebill, contractTransfer } from './gate-contract/contract-requests';
export { describeGateContract } from './gate-contract/gate-contract';
export {
  type ContractedGate,
  EVERY_OPERATION,
  type GateNotifications,
  type GateTraits,
  type GateUnderContract,
} from './gate-contract/gate-under-contract';
export { deciderSpec } from './given-when-then';
export { HOSTILE_ALPHABETS } from './hostile-alphabets';
export { timesOfYardstick, timesPerDoubling } from './processor-time';
export { wholeNumber } from './run-counts';
export {
  ANSWERED_AT,
  ATTEMPT_HISTORIES,
  attemptEvents,
  gateAnswers,
  PAYER_DUE_AT,
  PAYER_RETURNED_AT,
  processingCommands,
  routingEvents,
  sampleReceipt,
  SETTLED_AT,
  STARTED_AT,
} from './samples/sample-attempts';
export {
  CHECKED_AT,
  CHOICE_DUE_AT,
  CONCLUDED_AT,
  DESTINATION_MAPPED,
  DESTINATION_REF,
  destinationReferred,
  deviceCommands,
  deviceEvents,
  deviceOrderUnder,
  devicePlan,
  FEE_A,
  FEE_B,
  FEE_CHOICE_MS,
  FEE_CHOSEN_AT,
  GATE_CHOICE_DUE_AT,
  GATE_FEE_A,
  GATE_FEE_B,
  GATE_FEES_OFFERED_AT,
  RANDOM_SUM,
  sampleDeviceOrder,
  sampleDeviceRequest,
  sampleReceivingCard,
  SOURCE_MAPPED,
  SOURCE_REF,
  sourceReferred,
} from './samples/sample-device';
export { disputeEvents, disputeReports, recordReport, REPORT_DETAILS, REPORTED_AT } from './samples/sample-disputes';
export {
  ACCEPTED_AT,
  afterAcceptance,
  ATTEMPT_KEY,
  BOOT_ID,
  OTHER_KEY,
  RECEIPT_ID,
  RULES_VERSION,
  SAMPLE_AMOUNT,
  usd,
} from './samples/sample-facts';
export { ABLE_GATE, FOLLOW_UP_AT, FOLLOW_UP_KEY, followUpAnswers, followUpCommands, followUpEvents } from './samples/sample-follow-ups';
export { sampleGates } from './samples/sample-gates';
export { sampleOrderNumbers, textOrderIds } from './samples/sample-order-ids';
export { finalEvents, sampleCard, sampleGate, sampleOrder, samplePlan, sampleRequest, servedOffer } from './samples/sample-orders';
export { seededIds, seededRandom } from './seeded-chance';
export { stopwatch } from './stopwatch';
export { settle, VirtualClock } from './virtual-clock';
