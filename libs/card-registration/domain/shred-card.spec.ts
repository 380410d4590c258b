import type { AttemptKey, CardRefId, GateAlias } from '@app/kernel';
import { afterAcceptance, deciderSpec, sampleOrder } from '@app/testing';
import type { OrderFact } from '@app/orders/domain';
import { cardRegistration, type CardRegistrationEvent, gateTokens } from './card-registration';
import { cardShredding, type ShredCard } from '../application/shred-card.handler';

const { given } = deciderSpec(cardShredding);
const NOW = afterAcceptance(3_600_000);
const gate = 'gate-a' as GateAlias;
const { orderId, clientOrderId, endpointId, card, customer, merchant } = sampleOrder();
const known = { orderKind: 'payment', orderId, clientOrderId, endpointId, card, customer } as const;
const cardRefId = 'a0sample0reference0c' as CardRefId;
const issued: CardRegistrationEvent = {
  type: 'CardReferenceIssued',
  data: { cardRefId, use: 'source', merchant, ...known, issuedAt: NOW },
};
const wanted: CardRegistrationEvent = { type: 'GateTokenWanted', data: { gate, attemptKey: 'a-1' as AttemptKey, wantedAt: NOW } };
const kept: CardRegistrationEvent = { type: 'GateTokenKept', data: { gate, token: 'tok', keptAt: NOW } };
const shredded: CardRegistrationEvent = { type: 'CardShredded', data: { shreddedAt: NOW } };
const shred: ShredCard = { type: 'ShredCard', data: { now: NOW } };

describe('shredding the card of a reference', () => {
  it('is recorded once and refused for an unknown reference', () => {
    given(issued, wanted, kept).when(shred).then(shredded);
    given(issued, shredded).when(shred).thenRejected({ reason: 'shredded-before' });
    given().when(shred).thenRejected({ reason: 'unknown-reference' });
  });

  it('gives up a token that a gate was asked for', () => {
    given(issued, wanted)
      .when(shred)
      .then({ type: 'GateTokenRefused', data: { gate, cause: 'given-up', refusedAt: NOW } }, shredded);
  });

  it('removes the stored gate tokens and ignores a token that arrives later', () => {
    const { state } = given(issued, kept, shredded);
    expect(state).toStrictEqual({ status: 'shredded', cardRefId });
    const told = { kind: 'registered', token: 'late' } as const;
    deciderSpec(gateTokens)
      .given(issued, wanted, { type: 'GateTokenRefused', data: { gate, cause: 'given-up', refusedAt: NOW } }, shredded)
      .when({ type: 'RecordGateToken', data: { gate, told, now: NOW } })
      .thenRejected({ reason: 'nothing-new' });
  });

  it('prevents the reference from being issued again', () => {
    const order: OrderFact = { ...known, end: { kind: 'approved' } };
    deciderSpec(cardRegistration)
      .given(issued, shredded)
      .when({ type: 'IssueCardReference', data: { merchant, cardRefId, use: 'source', order, canRegister: true, now: NOW } })
      .thenRejected({ reason: 'card-shredded' });
  });
});
