import { f, type EventType, type FieldsOf } from '@app/event-store';
import { disputeEventTypes } from './dispute.schema';
import { followUpEventTypes } from './follow-up.schema';
import { reconciliationEventTypes } from './reconciliation.schema';
import { attemptKey, callbacks, gateAlias, receipt } from './order-fields';
import {
  CHARGED_BY,
  NOT_ASKED_CAUSES,
  OPERATIONS,
  SCREENING_RULES,
  UNKNOWN_CAUSES,
  type AcceptedDeviceOrder,
  type AcceptedOrder,
  type CardAtGates,
  type ChosenRoute,
  type DevicePlan,
  type GateToken,
  type IssuerFacts,
  type OrderCard,
  type Plan,
  type PlannedGate,
  type ProcessingEvent,
  type ReceivingCard,
} from '../domain';

type DataOf<Type extends ProcessingEvent['type']> = Extract<ProcessingEvent, { readonly type: Type }>['data'];

const issuer = () =>
  f.object<IssuerFacts>({
    cardType: f.optional(f.text()),
    country: f.optional(f.text()),
    bank: f.optional(f.text()),
    productCode: f.optional(f.text()),
    productName: f.optional(f.text()),
    typeCode: f.optional(f.text()),
    typeName: f.optional(f.text()),
  });

const gate = () =>
  f.object<PlannedGate>({
    alias: gateAlias(),
    descriptor: f.text(),
    gateDescriptor: f.text(),
    partialReversal: f.bool(),
    partialCapture: f.bool(),
    longestFlightMs: f.int(),
  });

const route = () =>
  f.object<ChosenRoute>({
    rulesVersion: f.optional(f.id()),
    rule: f.id(),
    bin: f.optional(f.gateReference()),
    brand: f.optional(f.id()),
    country: f.optional(f.id()),
    able: f.list<ChosenRoute['able']>(gateAlias()),
    drawnBy: f.optional(f.oneOf('customer', 'chance')),
    draws: f.optional(f.list<NonNullable<ChosenRoute['draws']>>(f.object({ gate: gateAlias(), draw: f.int() }))),
    commissions: f.optional(f.list<NonNullable<ChosenRoute['commissions']>>(f.object({ gate: gateAlias(), commissionMinor: f.bigint() }))),
    leftOut: f.optional(f.list<NonNullable<ChosenRoute['leftOut']>>(gateAlias())),
    heldGates: f.optional(f.list<NonNullable<ChosenRoute['heldGates']>>(gateAlias())),
    chosenAt: f.instant(),
  });

const plan = () =>
  f.object<Plan>({
    operation: f.oneOf(...OPERATIONS),
    gates: f.list<Plan['gates']>(gate()),
    amounts: f.optional(f.list<NonNullable<Plan['amounts']>>(f.money())),
    screening: f.optional(f.id()),
    route: f.optional(route()),
    payerMs: f.int(),
    cvvHolder: f.optional(f.id<NonNullable<Plan['cvvHolder']>>()),
    callbacks: callbacks(),
    device: f.optional(f.object<DevicePlan>({ feeChoiceMs: f.optional(f.int()), isRandomSumRequired: f.bool() })),
  });

/** Of the number, only the displayable digits (safety, section 5.1). */
export const orderCard = () =>
  f.object<OrderCard>({
    handle: f.id<OrderCard['handle']>(),
    uid: f.id<OrderCard['uid']>(),
    face: f.object<OrderCard['face']>({
      bin: f.gateReference(),
      lastFour: f.gateReference(),
      brand: f.id(),
      expiryMonth: f.int(),
      expiryYear: f.int(),
    }),
  });

/** References, not card numbers. */
export const cardAtGates = () =>
  f.object<CardAtGates>({
    tokens: f.list<CardAtGates['tokens']>(f.object<GateToken>({ gate: gateAlias(), token: f.gateReference() })),
    networkTransactionId: f.optional(f.gateReference()),
  });

export const receivingCard = () =>
  f.object<ReceivingCard>({
    handle: f.id<ReceivingCard['handle']>(),
    uid: f.id<ReceivingCard['uid']>(),
    face: f.object<ReceivingCard['face']>({
      bin: f.gateReference(),
      lastFour: f.gateReference(),
      brand: f.id(),
      expiryMonth: f.optional(f.int()),
      expiryYear: f.optional(f.int()),
    }),
  });

const orderFields = (): FieldsOf<Omit<AcceptedOrder, 'card'>> => ({
  orderId: f.id<AcceptedOrder['orderId']>(),
  merchant: f.id<AcceptedOrder['merchant']>(),
  clientOrderId: f.merchantText<AcceptedOrder['clientOrderId']>(),
  endpointId: f.id<AcceptedOrder['endpointId']>(),
  amount: f.money(),
  contentDigest: f.hash<AcceptedOrder['contentDigest']>(),
  customer: f.sealed(),
  details: f.sealed(),
  emailDigest: f.optional(f.hash<NonNullable<AcceptedOrder['emailDigest']>>()),
  plan: plan(),
  acceptedAt: f.instant(),
});

/** The members of every context's `OrderAccepted`; a context adds more. */
export const acceptedOrderFields = (): FieldsOf<AcceptedOrder> => ({ ...orderFields(), card: orderCard() });

export const acceptedDeviceOrderFields = (): FieldsOf<Omit<AcceptedDeviceOrder, 'card' | 'destination'>> => ({
  ...orderFields(),
  device: f.sealed(),
  sessionDigest: f.hash<AcceptedDeviceOrder['sessionDigest']>(),
  signatureAmbiguous: f.bool(),
});

export const processingEventTypes = (): { readonly [Type in ProcessingEvent['type']]: EventType<DataOf<Type>> } => ({
  AttemptStarted: {
    version: 1,
    meaning: 'A process claims the attempt and is about to submit it. Stored before the submit.',
    schema: f.object<DataOf<'AttemptStarted'>>({
      attemptKey: attemptKey(),
      number: f.int(),
      gate: gateAlias(),
      amount: f.money(),
      chargedBy: f.optional(f.oneOf(...CHARGED_BY)),
      issuer: f.optional(issuer()),
      startedAt: f.instant(),
    }),
  },
  AttemptApproved: {
    version: 1,
    meaning: 'The gate approved the attempt.',
    schema: f.object<DataOf<'AttemptApproved'>>({
      attemptKey: attemptKey(),
      receipt: receipt(),
      approvalCode: f.gateReference(),
      answeredAt: f.instant(),
    }),
  },
  AttemptDeclined: {
    version: 1,
    meaning: 'The attempt was definitely declined: by the gate, or by the service because the payer did not come back in time.',
    schema: f.object<DataOf<'AttemptDeclined'>>({
      attemptKey: attemptKey(),
      code: f.int(),
      by: f.oneOf('gate', 'payer-absent'),
      receipt: f.optional(receipt()),
      advice: f.optional(f.text()),
      answeredAt: f.instant(),
    }),
  },
  AttemptTaken: {
    version: 1,
    meaning:
      'The gate accepted the attempt, and its outcome is open. Stores the gate’s order id and the session data that each inquiry must carry.',
    schema: f.object<DataOf<'AttemptTaken'>>({
      attemptKey: attemptKey(),
      gateOrderId: f.optional(f.gateReference()),
      session: f.optional(f.sealed()),
      takenAt: f.instant(),
    }),
  },
  AttemptUnknown: {
    version: 1,
    meaning:
      'The gate did not answer, or its answer was not recognised. Money may have moved. The service sends inquiries until the gate reports an outcome.',
    schema: f.object<DataOf<'AttemptUnknown'>>({
      attemptKey: attemptKey(),
      cause: f.oneOf(...UNKNOWN_CAUSES),
      answeredAt: f.instant(),
      isCallOver: f.optional(f.bool()),
    }),
  },
  AttemptNotAsked: {
    version: 1,
    meaning: 'The attempt has charged nothing, and never will.',
    schema: f.object<DataOf<'AttemptNotAsked'>>({ attemptKey: attemptKey(), cause: f.oneOf(...NOT_ASKED_CAUSES), answeredAt: f.instant() }),
  },
  PayerChallenged: {
    version: 1,
    meaning:
      'The gate requires payer authentication. The page for the payer’s browser is sealed. A gate that hosts the authentication finishes it without the service, which then inquires the outcome.',
    schema: f.object<DataOf<'PayerChallenged'>>({
      attemptKey: attemptKey(),
      transactionId: f.gateReference(),
      page: f.sealed(),
      payerDueAt: f.instant(),
      answeredAt: f.instant(),
      isHosted: f.optional(f.bool()),
    }),
  },
  PayerReturned: {
    version: 1,
    meaning: 'The payer’s browser came back in time. Stored before the gate is asked to continue.',
    schema: f.object<DataOf<'PayerReturned'>>({ attemptKey: attemptKey(), returnedAt: f.instant() }),
  },
  AttemptSettled: {
    version: 1,
    meaning:
      'An operator resolved an attempt with an unknown outcome. The operator is the actor. The decision is as final as a gate’s answer.',
    schema: f.object<DataOf<'AttemptSettled'>>({
      attemptKey: attemptKey(),
      as: f.oneOf('approved', 'declined'),
      reason: f.sealed(),
      settledAt: f.instant(),
    }),
  },
  LateResultConflict: {
    version: 1,
    meaning: 'The gate contradicted the outcome of an attempt. The event raises an alarm and changes nothing.',
    schema: f.object<DataOf<'LateResultConflict'>>({
      attemptKey: attemptKey(),
      believed: f.oneOf('approved', 'declined', 'not-asked'),
      told: f.oneOf('approved', 'declined'),
      transactionId: f.gateReference(),
      toldAt: f.instant(),
    }),
  },
  NextAttemptChosen: {
    version: 1,
    meaning: 'An attempt was declined, and the routing plan has another: the next gate and amount.',
    schema: f.object<DataOf<'NextAttemptChosen'>>({ gate: gateAlias(), amountNumber: f.int(), amount: f.money(), chosenAt: f.instant() }),
  },
  OrderScreened: {
    version: 1,
    meaning: 'The entry point’s screening rules ran before the first attempt: their inputs and result.',
    schema: f.object<DataOf<'OrderScreened'>>({
      rulesVersion: f.id(),
      bin: f.gateReference(),
      amounts: f.list<DataOf<'OrderScreened'>['amounts']>(f.money()),
      cardCount: f.optional(f.int()),
      ipCount: f.optional(f.int()),
      brokenRule: f.optional(f.oneOf(...SCREENING_RULES)),
      screenedAt: f.instant(),
    }),
  },
  OrderApproved: {
    version: 1,
    meaning: 'The order is final: approved. The event id is the callbacks’ delivery id.',
    schema: f.object<DataOf<'OrderApproved'>>({
      attemptKey: attemptKey(),
      amount: f.money(),
      receiptId: f.id(),
      callbacks: callbacks(),
      approvedAt: f.instant(),
    }),
  },
  OrderDeclined: {
    version: 1,
    meaning: 'The order is final: declined by the issuer, or because the payer did not come back in time.',
    schema: f.object<DataOf<'OrderDeclined'>>({ code: f.int(), callbacks: callbacks(), declinedAt: f.instant() }),
  },
  OrderFiltered: {
    version: 1,
    meaning: 'The order is final: screening rejected it before the first attempt.',
    schema: f.object<DataOf<'OrderFiltered'>>({ code: f.int(), callbacks: callbacks(), filteredAt: f.instant() }),
  },
  OrderFailed: {
    version: 1,
    meaning: 'The order is final: error, and nothing was charged (121: interrupted; 122: no gate could be asked).',
    schema: f.object<DataOf<'OrderFailed'>>({
      code: f.int<DataOf<'OrderFailed'>['code']>(),
      callbacks: callbacks(),
      failedAt: f.instant(),
    }),
  },
  ...reconciliationEventTypes(),
  ...followUpEventTypes(),
  ...disputeEventTypes(),
});
