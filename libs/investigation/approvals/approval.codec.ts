import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import {
  APPROVABLE_ACTIONS,
  type ActionApproved,
  type ActionProposed,
  type ApprovalEvent,
  type ApprovedActionEnded,
  type ProposalExpired,
  type ProposalInvalidated,
  type ProposalRejected,
  type ProposedConfiguration,
} from './domain/approval';

export const APPROVAL_CATEGORY = 'approval';

const APPROVAL_ID = /^[a-z2-7]{52}$/;

export const isApprovalId = (text: string): boolean => APPROVAL_ID.test(text);

export const approvalStream = (approvalId: string): StreamName => `${APPROVAL_CATEGORY}-${approvalId}` as StreamName;

export const approvalIdOf = (stream: StreamName): string => stream.slice(APPROVAL_CATEGORY.length + 1);

/** The id of the proposal that these parts identify: the same parts are the same proposal. */
export const approvalIdFor = (...parts: readonly string[]): string => approvalIdOf(streamName(APPROVAL_CATEGORY, ...parts));

export const approvalCodec: EventCodec<ApprovalEvent> = eventCodec<ApprovalEvent>(APPROVAL_CATEGORY, {
  ActionProposed: {
    version: 1,
    meaning:
      'An operator, who is the actor, proposes an action that a second person must approve. `amount` and `to` are its effect at that time. The reason is sealed.',
    schema: f.object<ActionProposed['data']>({
      action: f.oneOf(...APPROVABLE_ACTIONS),
      target: f.id(),
      merchant: f.optional(f.id<MerchantLogin>()),
      orderStream: f.optional(f.id()),
      orderRevision: f.optional(f.bigint()),
      amount: f.optional(f.money()),
      to: f.optional(f.oneOf('approved', 'declined')),
      followUp: f.optional(f.int()),
      endsReferences: f.optional(f.bool()),
      keyDigest: f.optional(f.hash()),
      configuration: f.optional(
        f.object<ProposedConfiguration>({
          digest: f.hash(),
          inForce: f.hash(),
          changes: f.list<ProposedConfiguration['changes']>(
            f.object<ProposedConfiguration['changes'][number]>({
              field: f.text(),
              before: f.optional(f.text()),
              after: f.optional(f.text()),
            }),
          ),
          changeCount: f.int(),
          whatIf: f.optional(f.object<NonNullable<ProposedConfiguration['whatIf']>>({ id: f.id(), digest: f.hash(), totals: f.text() })),
        }),
      ),
      proposer: f.id(),
      reason: f.sealed(),
      proposedAt: f.instant(),
      expiresAt: f.instant(),
    }),
  },
  ActionApproved: {
    version: 1,
    meaning:
      'The action is permitted, and executed after this event. If `isAlone` is true, an admin acted without a second person, which raises an alarm.',
    schema: f.object<ActionApproved['data']>({
      approver: f.id(),
      isAlone: f.bool(),
      reason: f.optional(f.sealed()),
      approvedAt: f.instant(),
    }),
  },
  ProposalRejected: {
    version: 1,
    meaning: 'A person rejected the proposal, or its proposer withdrew it. The reason is sealed.',
    schema: f.object<ProposalRejected['data']>({ rejecter: f.id(), reason: f.sealed(), rejectedAt: f.instant() }),
  },
  ProposalExpired: {
    version: 1,
    meaning: 'Somebody decided after the proposal’s time, so nothing was done.',
    schema: f.object<ProposalExpired['data']>({ expiredAt: f.instant() }),
  },
  ProposalInvalidated: {
    version: 1,
    meaning: 'The order or the configuration changed after the proposer saw it, so nothing was done.',
    schema: f.object<ProposalInvalidated['data']>({ orderRevision: f.bigint(), invalidatedAt: f.instant() }),
  },
  ApprovedActionEnded: {
    version: 1,
    meaning: 'The result of the approved action. If this event is missing, the action may not have been executed.',
    schema: f.object<ApprovedActionEnded['data']>({
      outcome: f.oneOf('done', 'refused'),
      cause: f.optional(f.id()),
      endedAt: f.instant(),
    }),
  },
});
