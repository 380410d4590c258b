import { f, type EventType } from '@app/event-store';
import { FOLLOW_UP_OPERATIONS, UNKNOWN_CAUSES, type FollowUpEvent } from './domain';
import { attemptKey, callbacks, gateAlias, receipt } from './order-fields';

type DataOf<Type extends FollowUpEvent['type']> = Extract<FollowUpEvent, { readonly type: Type }>['data'];

/** The events of what follows an approved order; in every category that orders have. */
export const followUpEventTypes = (): { readonly [Type in FollowUpEvent['type']]: EventType<DataOf<Type>> } => ({
  FollowUpAccepted: {
    version: 1,
    meaning: 'A capture, return or void of the order was taken in; it becomes final whoever is still listening.',
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
    meaning: 'The intent to ask the gate for a follow-up, durable before it is asked; the claim of the one who asks.',
    schema: f.object<DataOf<'FollowUpStarted'>>({ number: f.int(), attemptKey: attemptKey(), startedAt: f.instant() }),
  },
  FollowUpUnknown: {
    version: 1,
    meaning:
      'The gate was silent about a follow-up or said what we do not know: money may have moved, and the gate is asked until it says.',
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
      'Certain that nothing moved by this follow-up (121 the gate never heard of it, 122 it could not be asked); its sum is free again.',
    schema: f.object<DataOf<'FollowUpFailed'>>({
      number: f.int(),
      code: f.int<DataOf<'FollowUpFailed'>['code']>(),
      callbacks: callbacks(),
      failedAt: f.instant(),
    }),
  },
  FollowUpSettled: {
    version: 1,
    meaning: 'A person settled a follow-up whose outcome the gate does not tell; who it was stands in the metadata, why is sealed.',
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
    meaning: 'The gate contradicted what was believed of a final follow-up: recorded and alarmed, nothing is changed by it.',
    schema: f.object<DataOf<'LateFollowUpConflict'>>({
      number: f.int(),
      believed: f.oneOf('approved', 'declined', 'failed'),
      told: f.oneOf('approved', 'declined'),
      transactionId: f.gateReference(),
      toldAt: f.instant(),
    }),
  },
});
