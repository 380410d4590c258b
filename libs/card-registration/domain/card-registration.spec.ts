import { type CardRefId, addMs, type AttemptKey, type GateAlias } from '@app/kernel';
import type { OrderFact, GateApproval } from '@app/orders/domain';
import { afterAcceptance, deciderSpec, sampleOrder, sampleReceivingCard } from '@app/testing';
import {
  cardRegistration,
  type IssueCardReference,
  CARD_USES,
  type CardReferenceIssued,
  type CardRegistrationEvent,
  type GateTokenKept,
  type GateTokenRefused,
  type GateTokenWanted,
  type NetworkTransactionKept,
  type TokenRefusal,
  gateTokens,
  type RecordGateToken,
} from './card-registration';

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
  it.each(CARD_USES)('is issued once for an approved order and returned again if requested again (%s) [W291]', (use) => {
    given().when(issue(approved, { use })).then(issued({ use }));
    given(issued({ use })).when(issue(approved, { use })).thenRejected({ reason: 'accepted-before', cardRefId: CARD_REF_ID });
  });

  it("contains the order data for a later charge without the order's end", () => {
    const { state } = given(issued());
    expect(state).toStrictEqual({ status: 'issued', ...issued().data, atGates: { tokens: [] }, wanted: [], refusedBy: [] });
    expect(state).not.toHaveProperty('end');
  });

  it('records the kind of order that proved the card', () => {
    const order = { ...known, orderKind: 'recurring', end: approved } as const;
    given()
      .when(issue(approved, { order }))
      .then(issued({ orderKind: 'recurring' }));
  });

  it('is refused before the order is final', () => {
    given().when(issue(open)).thenRejected({ reason: 'order-not-final' });
  });

  it.each(refusedEnds)('is not issued for an order that was not approved: $status $code [W292]', (end) => {
    given().when(issue(end)).thenRejected({ reason: 'order-not-approved', end });
  });

  it.each([open, ...refusedEnds])('stays issued if the order is read differently later: $kind', (end) => {
    given(issued()).when(issue(end)).thenRejected({ reason: 'accepted-before', cardRefId: CARD_REF_ID });
  });

  it('is issued for a receiving card as a destination but not as a source', () => {
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

  it('cannot be issued twice in one stream', () => {
    expect(() => given(issued(), issued())).toThrow('CardReferenceIssued twice');
  });
});

describe('gate tokens', () => {
  const LATER = addMs(NOW, 60_000);
  const gate = 'upstream-a' as GateAlias;
  const APPROVAL: GateApproval = { gate, attemptKey: '00000000-0000-4000-8000-0000000000a1' as AttemptKey, gateOrderId: '1402816' };
  const cardRefId = 'a0sample0reference0c' as CardRefId;

  const issue = (approval: GateApproval | undefined, data: Partial<IssueCardReference['data']> = {}): IssueCardReference => {
    const order: OrderFact = { ...known, end: { kind: 'approved' }, ...(approval && { approval }) };
    return { type: 'IssueCardReference', data: { merchant, cardRefId, use: 'source', order, canRegister: true, now: NOW, ...data } };
  };
  const issued = (use: CardReferenceIssued['data']['use'] = 'source'): CardReferenceIssued => ({
    type: 'CardReferenceIssued',
    data: { cardRefId, use, merchant, ...known, issuedAt: NOW },
  });
  const wanted = (wantedAt = NOW): GateTokenWanted => ({ type: 'GateTokenWanted', data: { ...APPROVAL, wantedAt } });
  const kept = (token = '1402817', keptAt = NOW): GateTokenKept => ({ type: 'GateTokenKept', data: { gate, token, keptAt } });
  const refused = (cause: TokenRefusal): GateTokenRefused => ({ type: 'GateTokenRefused', data: { gate, cause, refusedAt: LATER } });
  const network = (networkTransactionId = 'MCC1234567890615'): NetworkTransactionKept => ({
    type: 'NetworkTransactionKept',
    data: { gate, networkTransactionId, keptAt: NOW },
  });
  const repeated = { reason: 'accepted-before', cardRefId } as const;
  const record = (told: RecordGateToken['data']['told']): RecordGateToken => ({
    type: 'RecordGateToken',
    data: { gate, told, now: LATER },
  });

  describe('a reference whose order was approved by a gate', () => {
    const { given } = deciderSpec(cardRegistration);

    it("requests the gate's token once if the gate can register cards", () => {
      given().when(issue(APPROVAL)).then(issued(), wanted());
      given(issued(), wanted()).when(issue(APPROVAL)).thenRejected(repeated);
    });

    it('stores the token that came with the approval and requests none', () => {
      const told = { ...APPROVAL, cardToken: '1402817', networkTransactionId: 'MCC1234567890615' };
      given().when(issue(told)).then(issued(), network(), kept());
      given(issued(), network(), kept()).when(issue(told)).thenRejected(repeated);
    });

    it.each(CARD_USES)('is refused until the order is final and requests no token before (%s)', (use) => {
      const order: OrderFact = { ...known, end: { kind: 'open' }, approval: { ...APPROVAL, cardToken: '1402817' } };
      given().when(issue(APPROVAL, { order, use })).thenRejected({ reason: 'order-not-final' });
      given(issued(use)).when(issue(APPROVAL, { order, use })).thenRejected(repeated);
    });

    it.each(refusedEnds)('is refused and requests no token if the order was not approved: $status $code', (end) => {
      const order: OrderFact = { ...known, end, approval: APPROVAL };
      given().when(issue(APPROVAL, { order })).thenRejected({ reason: 'order-not-approved', end });
      given(issued()).when(issue(APPROVAL, { order })).thenRejected(repeated);
    });

    it("requests no token without gate support, after an operator's approval and for a receiving card", () => {
      given()
        .when(issue(APPROVAL, { canRegister: false }))
        .then(issued());
      given().when(issue(undefined)).then(issued());
      given()
        .when(issue({ ...APPROVAL, cardToken: '1' }, { use: 'destination' }))
        .then(issued('destination'));
    });

    it('from an earlier release requests its token when it is issued again', () => {
      given(issued()).when(issue(APPROVAL)).then(wanted());
      given(issued())
        .when(issue(APPROVAL, { canRegister: false }))
        .thenRejected(repeated);
    });

    it('requests a given-up token again but not a refused one', () => {
      given(issued(), wanted(), refused('given-up')).when(issue(APPROVAL)).then(wanted());
      for (const cause of ['refused-by-gate', 'other-card'] as const) {
        given(issued(), wanted(), refused(cause)).when(issue(APPROVAL)).thenRejected(repeated);
      }
    });

    it('keeps the newest token of each gate', () => {
      const other: GateTokenKept = { type: 'GateTokenKept', data: { gate: 'sim-a' as GateAlias, token: 'SIM', keptAt: NOW } };
      const { state } = given(issued(), wanted(), other, kept('1'), kept('2'), network());
      expect(state).toMatchObject({
        atGates: {
          tokens: [
            { gate: 'sim-a', token: 'SIM' },
            { gate, token: '2' },
          ],
          networkTransactionId: 'MCC1234567890615',
        },
        wanted: [],
      });
    });

    it.each<CardRegistrationEvent>([wanted(), kept(), refused('other-card'), network()])('must precede its token events: %j', (event) => {
      expect(() => given(event)).toThrow(`${event.type} before CardReferenceIssued`);
    });
  });

  describe("the gate's answer to a token request", () => {
    const { given } = deciderSpec(gateTokens);

    it('records the token or the reason for the refusal', () => {
      given(issued(), wanted())
        .when(record({ kind: 'registered', token: '1402817' }))
        .then(kept('1402817', LATER));
      for (const cause of ['refused-by-gate', 'other-card', 'given-up'] as const) {
        given(issued(), wanted())
          .when(record({ kind: 'refused', cause }))
          .then(refused(cause));
      }
    });

    it.each<[string, readonly CardRegistrationEvent[]]>([
      ['no reference', []],
      ['nothing wanted', [issued()]],
      ['a token already', [issued(), wanted(), kept()]],
      ['a refusal already', [issued(), wanted(), refused('other-card')]],
    ])('changes nothing if there is %s', (_, history) => {
      given(...history)
        .when(record({ kind: 'registered', token: '1' }))
        .thenRejected({ reason: 'nothing-new' });
      given(...history)
        .when(record({ kind: 'refused', cause: 'given-up' }))
        .thenRejected({ reason: 'nothing-new' });
    });
  });
});
