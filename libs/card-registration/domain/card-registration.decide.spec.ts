import type { CardRefId } from '@app/kernel';
import type { OrderFact } from '@app/orders/domain';
import { afterAcceptance, deciderSpec, sampleOrder, sampleReceivingCard } from '@app/testing';
import { cardRegistration, type IssueCardReference, CARD_USES, type CardReferenceIssued } from './card-registration';

const { given } = deciderSpec(cardRegistration);
const CARD_REF_ID = 'a0sample0reference0c' as CardRefId;
const NOW = afterAcceptance(3_600_000);

const { orderId, clientOrderId, endpointId, card, customer, merchant } = sampleOrder();
const known = { orderKind: 'payment', orderId, clientOrderId, endpointId, card, customer } as const;
const issue = (end: OrderFact['end'], data: Partial<IssueCardReference['data']> = {}): IssueCardReference => ({
  type: 'IssueCardReference',
  data: { merchant, cardRefId: CARD_REF_ID, use: 'source', order: { ...known, end }, canRegister: false, now: NOW, ...data },
});
const issued = (data: Partial<CardReferenceIssued['data']> = {}): CardReferenceIssued => ({
  type: 'CardReferenceIssued',
  data: { cardRefId: CARD_REF_ID, use: 'source', merchant, ...known, issuedAt: NOW, ...data },
});

const approved = { kind: 'approved' } as const;
const open = { kind: 'open' } as const;
const refusedEnds = [
  { kind: 'refused', status: 'declined', code: 116 },
  { kind: 'refused', status: 'declined', code: 110 },
  { kind: 'refused', status: 'filtered', code: 120 },
  { kind: 'refused', status: 'error', code: 121 },
  { kind: 'refused', status: 'error', code: 122 },
] as const;

describe('a reference to the card of an order', () => {
  it.each(CARD_USES)('is issued once for an approved order, and is the same when requested again (%s) [W291]', (use) => {
    given().when(issue(approved, { use })).then(issued({ use }));
    given(issued({ use })).when(issue(approved, { use })).thenRejected({ reason: 'accepted-before', cardRefId: CARD_REF_ID });
  });

  it("holds what a later charge needs of the order, and not the order's end", () => {
    const { state } = given(issued());
    expect(state).toStrictEqual({ status: 'issued', ...issued().data, atGates: { tokens: [] }, wanted: [], refusedBy: [] });
    expect(state).not.toHaveProperty('end');
  });

  it('names the kind of order that proved the card', () => {
    const order = { ...known, orderKind: 'recurring', end: approved } as const;
    given()
      .when(issue(approved, { order }))
      .then(issued({ orderKind: 'recurring' }));
  });

  it('is refused before the end of the order', () => {
    given().when(issue(open)).thenRejected({ reason: 'order-not-final' });
    given().when(issue(open)).thenRejected({ reason: 'order-not-final' });
  });

  it.each(refusedEnds)('is never issued for a card that proved nothing: $status $code [W292]', (end) => {
    given().when(issue(end)).thenRejected({ reason: 'order-not-approved', end });
    given().when(issue(end)).thenRejected({ reason: 'order-not-approved', end });
  });

  it.each([open, ...refusedEnds])('stays issued, whatever is read of the order afterwards: $kind', (end) => {
    given(issued()).when(issue(end)).thenRejected({ reason: 'accepted-before', cardRefId: CARD_REF_ID });
  });

  it('is issued for a card that only receives as a destination, and never as a source', () => {
    const order = { ...known, orderKind: 'transfer', card: sampleReceivingCard(), end: approved } as const;
    given()
      .when(issue(approved, { order, use: 'destination' }))
      .then(issued({ orderKind: 'transfer', card: sampleReceivingCard(), use: 'destination' }));
    expect(() => given().when(issue(approved, { order }))).toThrow('its card only receives');
    const { expiryMonth: _month, ...face } = card.face;
    expect(() => given(issued({ card: { ...card, face } }))).toThrow('a card that only receives');
  });

  it('throws for an approved order without a card', () => {
    const { card: _card, ...order } = { ...known, end: approved };
    expect(() => given().when(issue(approved, { order }))).toThrow('is approved and has no card');
  });

  it('is not folded twice', () => {
    expect(() => given(issued(), issued())).toThrow('CardReferenceIssued twice');
  });
});
