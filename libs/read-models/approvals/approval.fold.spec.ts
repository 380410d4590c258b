import type { EventMetadata } from '@app/event-store';
import type { Currency, Instant, MerchantLogin, Sealed } from '@app/kernel';
import type { ActionProposed, ApprovalEvent } from '@app/investigation/approvals/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { foldApproval } from './approval.fold';
import type { ApprovalView } from './approval.view';

const AT = 1_767_225_600_000 as Instant;
const END = (AT + 86_400_000) as Instant;
const kept = {
  action: 'return-order',
  target: 'potjk0knd68sdvnr',
  merchant: 'acme' as MerchantLogin,
  orderStream: 'payment-a',
  proposer: 'operator:kim',
  proposedAt: AT,
  expiresAt: END,
} as const;
const proposed: ActionProposed = {
  type: 'ActionProposed',
  data: { ...kept, orderRevision: 7n, amount: { minor: 10_000n, currency: 'EUR' as Currency }, reason: 'sealed' as Sealed },
};
const approved: ApprovalEvent = { type: 'ActionApproved', data: { approver: 'operator:ann', isAlone: true, approvedAt: AT } };
const rejected: ApprovalEvent = {
  type: 'ProposalRejected',
  data: { rejecter: 'operator:ann', reason: 'sealed' as Sealed, rejectedAt: AT },
};
const refused: ApprovalEvent = { type: 'ApprovedActionEnded', data: { outcome: 'refused', cause: 'order-moved', endedAt: AT } };
const fold = (...events: readonly ApprovalEvent[]) =>
  events.reduce<ApprovalView | undefined>(
    (view, event) => foldApproval(view, { event, metadata: {} as EventMetadata } as LogEvent<ApprovalEvent>),
    undefined,
  );

describe('an approval', () => {
  it('waits with its effect as JSON values and without the sealed reason', () => {
    const waiting = { status: 'waiting', decider: null, decidedAt: null, isAlone: false, cause: null };
    expect(fold(proposed)).toStrictEqual({ ...kept, amountMinor: '10000', currency: 'EUR', ...waiting });
  });

  it('has the person who decided and the result of its action', () => {
    expect(fold(proposed, approved)).toMatchObject({ status: 'approved', decider: 'operator:ann', decidedAt: AT, isAlone: true });
    expect(fold(proposed, approved, refused)).toMatchObject({ status: 'refused', cause: 'order-moved' });
    expect(fold(proposed, rejected)).toMatchObject({ status: 'rejected', decider: 'operator:ann' });
    expect(fold(proposed, { type: 'ProposalExpired', data: { expiredAt: END } })).toMatchObject({ status: 'expired', decidedAt: END });
    expect(fold(proposed, { type: 'ProposalInvalidated', data: { orderRevision: 8n, invalidatedAt: AT } })).toMatchObject({
      status: 'invalidated',
    });
  });

  it('refuses an event that cannot follow the previous state', () => {
    expect(() => fold(approved)).toThrow(CannotApply);
    expect(() => fold(proposed, proposed)).toThrow('ActionProposed of a proposal that exists');
    expect(() => fold(proposed, refused)).toThrow('ApprovedActionEnded of a proposal that is waiting');
    expect(() => fold(proposed, { type: 'UnheardOf' } as never)).toThrow('no case for');
  });
});
