import { addMs, type Currency, type Instant, type MerchantLogin, type Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { approval, PROPOSAL_TERM_MS, type ActionProposed, type ApprovalCommand, type ApprovalEvent, type ProposedAction } from './approval';

const { given } = deciderSpec(approval);
const NOW = 1_704_067_200_000 as Instant;
const END = addMs(NOW, PROPOSAL_TERM_MS);
const LAST_MOMENT = addMs(END, -1);
const [KIM, ANN] = ['operator:kim', 'operator:ann'];
const reason = 'sealed' as Sealed;
const action: ProposedAction = {
  action: 'return-order',
  target: 'potjk0knd68sdvnr',
  merchant: 'acme' as MerchantLogin,
  orderStream: 'payment-a',
  orderRevision: 7n,
  amount: { minor: 10_000n, currency: 'EUR' as Currency },
};
const propose: ApprovalCommand = { type: 'Propose', data: { ...action, proposer: KIM, reason, now: NOW } };
const proposed: ActionProposed = { type: 'ActionProposed', data: { ...action, proposer: KIM, reason, proposedAt: NOW, expiresAt: END } };

type Approving = Extract<ApprovalCommand, { type: 'Approve' }>['data'];
const approve = (more: Partial<Approving> = {}): ApprovalCommand => ({
  type: 'Approve',
  data: { approver: ANN, isAdmin: false, isAlone: false, orderRevision: 7n, now: NOW, ...more },
});
const approved = (more: object = {}): ApprovalEvent => ({
  type: 'ActionApproved',
  data: { approver: ANN, isAlone: false, approvedAt: NOW, ...more },
});
const reject = (now = NOW): ApprovalCommand => ({ type: 'Reject', data: { rejecter: ANN, reason, now } });
const rejected: ApprovalEvent = { type: 'ProposalRejected', data: { rejecter: ANN, reason, rejectedAt: NOW } };
const expired = (expiredAt = END): ApprovalEvent => ({ type: 'ProposalExpired', data: { expiredAt } });
const invalidated: ApprovalEvent = { type: 'ProposalInvalidated', data: { orderRevision: 8n, invalidatedAt: NOW } };
const recordEnd: ApprovalCommand = { type: 'RecordEnd', data: { outcome: 'refused', cause: 'order-moved', now: NOW } };
const ended: ApprovalEvent = { type: 'ApprovedActionEnded', data: { outcome: 'refused', cause: 'order-moved', endedAt: NOW } };

describe('a proposal', () => {
  it('waits for 24 hours, and is made once', () => {
    given().when(propose).then(proposed);
    given(proposed).when(propose).thenRejected({ reason: 'proposed-before' });
    given(proposed, rejected).when(propose).thenRejected({ reason: 'proposed-before' });
  });

  it('is approved by another person, once', () => {
    given(proposed)
      .when(approve({ now: LAST_MOMENT }))
      .then(approved({ approvedAt: LAST_MOMENT }));
    given(proposed).when(approve({ reason })).then(approved({ reason }));
    given(proposed, approved())
      .when(approve({ approver: 'operator:eve' }))
      .thenRejected({ reason: 'decided-before' });
    given().when(approve()).thenRejected({ reason: 'unknown-proposal' });
  });

  it('of a target without an event is invalidated by its first one', () => {
    const { orderRevision: _none, ...first } = proposed.data;
    const found = given({ ...proposed, data: first });
    found.when(approve({ orderRevision: 0n })).then({ type: 'ProposalInvalidated', data: { orderRevision: 0n, invalidatedAt: NOW } });
    const { orderRevision: _absent, ...current } = approve().data as Approving;
    found.when({ type: 'Approve', data: current }).then(approved());
  });

  it('is not approved by its proposer, even by an admin', () => {
    given(proposed)
      .when(approve({ approver: KIM }))
      .thenRejected({ reason: 'own-proposal' });
    given(proposed)
      .when(approve({ approver: KIM, isAdmin: true }))
      .thenRejected({ reason: 'own-proposal' });
  });

  it('is approved by an admin without a second person, also by its proposer, and by no other role without one', () => {
    for (const approver of [KIM, ANN])
      given(proposed)
        .when(approve({ approver, isAdmin: true, isAlone: true }))
        .then(approved({ approver, isAlone: true }));
    given(proposed)
      .when(approve({ isAlone: true }))
      .thenRejected({ reason: 'not-admin' });
    given(proposed)
      .when(approve({ approver: KIM, isAlone: true }))
      .thenRejected({ reason: 'not-admin' });
  });

  it('expires at its last instant, whatever is decided then', () => {
    given(proposed)
      .when(approve({ now: END }))
      .then(expired());
    given(proposed)
      .when(approve({ now: END, isAdmin: true, isAlone: true }))
      .then(expired());
    given(proposed).when(reject(END)).then(expired());
    given(proposed, expired()).when(approve()).thenRejected({ reason: 'decided-before' });
  });

  it('is invalidated if the order has another event, also for an admin without a second person', () => {
    given(proposed)
      .when(approve({ orderRevision: 8n }))
      .then(invalidated);
    given(proposed)
      .when(approve({ orderRevision: 8n, isAdmin: true, isAlone: true }))
      .then(invalidated);
    given(proposed, invalidated).when(approve()).thenRejected({ reason: 'decided-before' });
  });

  it('is rejected once, by its proposer too, and never after an approval', () => {
    given(proposed).when(reject()).then(rejected);
    given(proposed, rejected).when(reject()).thenRejected({ reason: 'decided-before' });
    given(proposed, rejected).when(approve()).thenRejected({ reason: 'decided-before' });
    given(proposed, approved()).when(reject()).thenRejected({ reason: 'decided-before' });
    given().when(reject()).thenRejected({ reason: 'unknown-proposal' });
  });

  it('ends after its approval, once', () => {
    given(proposed, approved()).when(recordEnd).then(ended);
    given(proposed, approved(), ended).when(recordEnd).thenRejected({ reason: 'nothing-new' });
    given(proposed).when(recordEnd).thenRejected({ reason: 'nothing-new' });
    expect(given(proposed, approved(), ended).state).toMatchObject({ status: 'refused', cause: 'order-moved' });
    expect(given(proposed, approved()).state).toMatchObject({ status: 'approved' });
  });

  it('throws for events that cannot follow', () => {
    expect(() => given(approved())).toThrow('ActionApproved of a proposal that is none');
    expect(() => given(proposed, proposed)).toThrow('ActionProposed of a proposal that is waiting');
    expect(() => given(proposed, ended)).toThrow('ApprovedActionEnded of a proposal that is waiting');
    expect(() => given(proposed, rejected, approved())).toThrow('ActionApproved of a proposal that is rejected');
  });
});
