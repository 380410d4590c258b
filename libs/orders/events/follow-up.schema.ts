import { f, type EventType } from '@app/event-store';
import { FOLLOW_UP_OPERATIONS, UNKNOWN_CAUSES, type FollowUpEvent } from '../domain';
import { attemptKey, callbacks, gateAlias, receipt } from './order-fields';
import { followUpReconciledType } from './reconciliation.schema';

type DataOf<Type extends FollowUpEvent['type']> = Extract<FollowUpEvent, { readonly type: Type }>['data'];

export const followUpEventTypes = (): { readonly [Type in FollowUpEvent['type']]: EventType<DataOf<Type>> } => ({
  FollowUpAccepted: {
    version: 1,
    meaning: 'A capture, return or void of the order was accepted; from here on it always becomes final.',
    schema: f.object<DataOf<'FollowUpAccepted'>>({
      number: f.int(),
      operation: f.oneOf(...FOLLOW_UP_OPERATIONS),
      amount: f.money(),
      original: attemptKey(),
      gate: gateAlias(),
      longestFlightMs: f.int(),
      comment: f.optional(f.sealed()),
      callbacks: callbacks(),
      acceptedAt: f.instant(),
    }),
  },
  FollowUpStarted: {
    version: 1,
    meaning: 'The intent to send a follow-up to the gate, durable before it is sent; it is also the claim of the process that sends.',
    schema: f.object<DataOf<'FollowUpStarted'>>({ number: f.int(), attemptKey: attemptKey(), startedAt: f.instant() }),
  },
  FollowUpUnknown: {
    version: 1,
    meaning:
      'The gate was silent about a follow-up, or its answer is not recognised: money may have moved, and the gate is asked until it answers.',
    schema: f.object<DataOf<'FollowUpUnknown'>>({
      number: f.int(),
      cause: f.oneOf(...UNKNOWN_CAUSES),
      answeredAt: f.instant(),
      isCallOver: f.optional(f.bool()),
    }),
  },
  FollowUpApproved: {
    version: 1,
    meaning: 'The gate did what the follow-up asked for. Its id is the delivery id of the callback.',
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
    meaning: 'A definite no to a follow-up; its sum is free again.',
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
      'It is certain that this follow-up moved nothing (121 the gate never received it, 122 it could not be asked); its sum is free again.',
    schema: f.object<DataOf<'FollowUpFailed'>>({
      number: f.int(),
      code: f.int<DataOf<'FollowUpFailed'>['code']>(),
      callbacks: callbacks(),
      failedAt: f.instant(),
    }),
  },
  FollowUpSettled: {
    version: 1,
    meaning: 'A person resolved a follow-up whose outcome the gate does not report; the person is in the metadata, the grounds are sealed.',
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
    meaning: 'The gate contradicted the outcome of a final follow-up: recorded and alarmed, and it changes nothing.',
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
