import { f, type EventType } from '@app/event-store';
import { FOLLOW_UP_OPERATIONS, UNKNOWN_CAUSES, type FollowUpEvent } from '../domain';
import { attemptKey, callbacks, gateAlias, receipt } from './order-fields';
import { followUpReconciledType } from './reconciliation.schema';

type DataOf<Type extends FollowUpEvent['type']> = Extract<FollowUpEvent, { readonly type: Type }>['data'];

export const followUpEventTypes = (): { readonly [Type in FollowUpEvent['type']]: EventType<DataOf<Type>> } => ({
  FollowUpAccepted: {
    version: 1,
    meaning:
      'A capture, return or void was accepted. It always becomes final. If an operator requested it, the operator is the actor and the reason is sealed.',
    schema: f.object<DataOf<'FollowUpAccepted'>>({
      number: f.int(),
      operation: f.oneOf(...FOLLOW_UP_OPERATIONS),
      amount: f.money(),
      original: attemptKey(),
      gate: gateAlias(),
      longestFlightMs: f.int(),
      comment: f.optional(f.sealed()),
      reason: f.optional(f.sealed()),
      callbacks: callbacks(),
      acceptedAt: f.instant(),
    }),
  },
  FollowUpStarted: {
    version: 1,
    meaning: 'A process claims the follow-up and is about to send it. Stored before the call.',
    schema: f.object<DataOf<'FollowUpStarted'>>({ number: f.int(), attemptKey: attemptKey(), startedAt: f.instant() }),
  },
  FollowUpUnknown: {
    version: 1,
    meaning:
      'The gate did not answer, or its answer was not recognised. Money may have moved. The service sends inquiries until the gate reports an outcome.',
    schema: f.object<DataOf<'FollowUpUnknown'>>({
      number: f.int(),
      cause: f.oneOf(...UNKNOWN_CAUSES),
      answeredAt: f.instant(),
      isCallOver: f.optional(f.bool()),
    }),
  },
  FollowUpApproved: {
    version: 1,
    meaning: 'The gate approved the follow-up. The event id is the callback’s delivery id.',
    schema: f.object<DataOf<'FollowUpApproved'>>({
      number: f.int(),
      receipt: receipt(),
      approvalCode: f.gateReference(),
      callbacks: callbacks(),
      approvedAt: f.instant(),
    }),
  },
  FollowUpDeclined: {
    version: 1,
    meaning: 'The gate declined the follow-up. Its amount is available again.',
    schema: f.object<DataOf<'FollowUpDeclined'>>({
      number: f.int(),
      code: f.int(),
      receipt: f.optional(receipt()),
      advice: f.optional(f.text()),
      callbacks: callbacks(),
      declinedAt: f.instant(),
    }),
  },
  FollowUpFailed: {
    version: 1,
    meaning:
      'The follow-up moved no money (121: the gate never received it; 122: the gate could not be asked). Its amount is available again.',
    schema: f.object<DataOf<'FollowUpFailed'>>({
      number: f.int(),
      code: f.int<DataOf<'FollowUpFailed'>['code']>(),
      callbacks: callbacks(),
      failedAt: f.instant(),
    }),
  },
  FollowUpSettled: {
    version: 1,
    meaning: 'An operator resolved a follow-up with an unknown outcome. The operator is the actor, and the reason is sealed.',
    schema: f.object<DataOf<'FollowUpSettled'>>({
      number: f.int(),
      as: f.oneOf('approved', 'declined'),
      reason: f.sealed(),
      callbacks: callbacks(),
      settledAt: f.instant(),
    }),
  },
  LateFollowUpConflict: {
    version: 1,
    meaning: 'The gate contradicted the outcome of a final follow-up. The event raises an alarm and changes nothing.',
    schema: f.object<DataOf<'LateFollowUpConflict'>>({
      number: f.int(),
      believed: f.oneOf('approved', 'declined', 'failed'),
      told: f.oneOf('approved', 'declined'),
      transactionId: f.gateReference(),
      toldAt: f.instant(),
    }),
  },
  FollowUpReconciled: followUpReconciledType(),
});
