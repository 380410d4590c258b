import type { CardHandle, CardRefId, ContentDigest, EndpointId, GateAlias, Sealed } from '@app/kernel';
import type { CardAtGates } from '@app/orders/domain';
import {
  ACCEPTED_AT,
  afterAcceptance,
  deciderSpec,
  sampleCard,
  sampleOrder,
  samplePlan,
  sampleRequest,
  servedOffer,
  usd,
  ANSWERED_AT,
  attemptEvents,
  finalEvents,
  gateAnswers,
  processingCommands,
} from '@app/testing';
import {
  recurring,
  type ChargeRegisteredCard,
  RECURRENT_INITIATORS,
  RECURRENT_SCENARIOS,
  type RecurrentPaymentAccepted,
} from './recurring';

const { given } = deciderSpec(recurring);
const MAX = 10_000_000n;
const CARD_REF_ID = 'a0sample0reference0c' as CardRefId;

const registered = { card: sampleCard({ handle: 'registered-card' as CardHandle }), customer: 'sealed-registered-customer' as Sealed };
const requested = (overrides: Parameters<typeof sampleRequest>[0] = {}) => {
  const { card: _card, customer: _customer, ...order } = sampleRequest(overrides);
  return order;
};
const charge = (data: Partial<ChargeRegisteredCard['data']> = {}): ChargeRegisteredCard => ({
  type: 'ChargeRegisteredCard',
  data: {
    order: requested(),
    cardRefId: CARD_REF_ID,
    reference: { kind: 'source', ...registered },
    marks: {},
    operation: 'sale',
    offer: servedOffer({ amountMaxMinor: MAX }),
    now: ACCEPTED_AT,
    ...data,
  },
});
const chargeAmount = (minor: bigint): ChargeRegisteredCard => charge({ order: requested({ amount: usd(minor) }) });
const accepted = (data: Partial<RecurrentPaymentAccepted['data']> = {}): RecurrentPaymentAccepted => ({
  type: 'OrderAccepted',
  data: { ...sampleOrder(), ...registered, cardRefId: CARD_REF_ID, marks: {}, ...data },
});
const sameOrder = { reason: 'accepted-before', orderId: sampleOrder().orderId, endpointId: sampleOrder().endpointId } as const;

describe('a charge of a registered card', () => {
  it('is accepted once with the card and customer of the registering order', () => {
    given().when(charge()).then(accepted());
    given(accepted()).when(charge()).thenRejected(sameOrder);
  });

  it('keeps the card’s tokens of planned gates and its network transaction id, but no other tokens', () => {
    const networkTransactionId = 'MCC1234567890615';
    const ofPlan = { gate: 'sim-a' as GateAlias, token: '1402817' };
    const ofAnother = { gate: 'upstream-z' as GateAlias, token: '99' };
    const known = (atGates: CardAtGates): ChargeRegisteredCard => charge({ reference: { kind: 'source', ...registered, atGates } });
    given()
      .when(known({ tokens: [ofAnother, ofPlan], networkTransactionId }))
      .then(accepted({ atGates: { tokens: [ofPlan], networkTransactionId } }));
    given()
      .when(known({ tokens: [ofPlan] }))
      .then(accepted({ atGates: { tokens: [ofPlan] } }));
    given()
      .when(known({ tokens: [], networkTransactionId }))
      .then(accepted({ atGates: { tokens: [], networkTransactionId } }));
    given()
      .when(known({ tokens: [ofAnother] }))
      .then(accepted());
  });

  it('is accepted with the offered plan and endpoint at the time of the command', () => {
    const plan = samplePlan({ callbacks: [] });
    const endpointId = '1002' as EndpointId;
    given()
      .when(charge({ offer: servedOffer({ plan, endpointId }), now: afterAcceptance(7) }))
      .then(accepted({ plan, endpointId, acceptedAt: afterAcceptance(7) }));
  });

  it.each(RECURRENT_SCENARIOS.flatMap((scenario) => RECURRENT_INITIATORS.map((initiator) => ({ scenario, initiator }))))(
    'keeps its scenario and initiator for the gate: $scenario, $initiator [W26, W363]',
    (marks) => given().when(charge({ marks })).then(accepted({ marks })),
  );

  it.each([1n, MAX])('of %s minor units is accepted', (minor) => {
    given()
      .when(chargeAmount(minor))
      .then(accepted({ amount: usd(minor) }));
  });

  it.each([-1n, 0n, MAX + 1n])('of %s minor units is rejected each time', (minor) => {
    given().when(chargeAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
    given().when(chargeAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
  });

  it('is accepted with several amounts and as a preauth', () => {
    const amounts = [usd(1_042n), usd(500n), usd(500n)] as const;
    given()
      .when(charge({ amounts }))
      .then(accepted({ plan: samplePlan({ amounts }) }));
    const plan = samplePlan({ operation: 'preauth' });
    given()
      .when(charge({ operation: 'preauth', offer: servedOffer({ plan, amountMaxMinor: MAX }) }))
      .then(accepted({ plan }));
  });

  it.each([0n, MAX + 1n])('is rejected each time with %s minor units among its amounts [W257]', (minor) => {
    const command = charge({ amounts: [usd(1n), usd(minor)] });
    given().when(command).thenRejected({ reason: 'amount-out-of-range' });
    given().when(command).thenRejected({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'is rejected with the reason of a refused offer: %s',
    (reason) => {
      const command = charge({ offer: { kind: 'refused', reason } });
      given().when(command).thenRejected({ reason });
      given().when(command).thenRejected({ reason });
    },
  );

  it.each([
    { kind: 'unknown', reason: 'card-reference-unknown' },
    { kind: 'destination', reason: 'card-reference-not-usable' },
  ] as const)('with a reference that is $kind is rejected: $reason', ({ kind, reason }) => {
    given()
      .when(charge({ reference: { kind } }))
      .thenRejected({ reason });
    given()
      .when(charge({ reference: { kind } }))
      .thenRejected({ reason });
  });
});

it('a charge with a refused offer is rejected before its reference is checked', () => {
  given()
    .when(charge({ reference: { kind: 'unknown' }, offer: { kind: 'refused', reason: 'address-not-called' } }))
    .thenRejected({ reason: 'address-not-called' });
});

describe('a repeat of an accepted charge', () => {
  const other = requested({ contentDigest: 'other' as ContentDigest });

  it('with different content is rejected each time', () => {
    given(accepted())
      .when(charge({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
    given(accepted())
      .when(charge({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });

  it.each([
    ['the entry point does not offer it any more', { offer: { kind: 'refused', reason: 'operation-not-offered' } }],
    ['the maximum is lower now', { offer: servedOffer({ amountMaxMinor: 1n }) }],
    ['the reference is not known any more', { reference: { kind: 'unknown' } }],
    ['the reference may only receive now', { reference: { kind: 'destination' } }],
  ] as const)('gets the same answer even if %s', (_, today) => {
    given(accepted()).when(charge(today)).thenRejected(sameOrder);
    given(accepted())
      .when(charge({ ...today, order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });
});

describe('recurring decider', () => {
  const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
  const { started, declined, unknown } = attemptEvents;
  const accepted: RecurrentPaymentAccepted = {
    type: 'OrderAccepted',
    data: { ...sampleOrder(), cardRefId: 'a0sample0reference0c' as CardRefId, marks: { scenario: 'REGULAR' } },
  };
  const end = finalEvents.declined({ declinedAt: ANSWERED_AT });

  describe('the processing of a recurrent payment', () => {
    it.each([start(), record(gateAnswers.approved()), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
      'ignores $type before the acceptance',
      (command) => given().when(command).thenRejected({ reason: 'nothing-new' }),
    );

    it('starts once, after the acceptance', () => {
      given(accepted).when(start()).then(started());
      given(accepted, started()).when(start()).thenRejected({ reason: 'attempt-open' });
    });

    it("ends once with the gate's answer, in the same append", () => {
      given(accepted, started()).when(record(gateAnswers.declined())).then(declined(), end);
      given(accepted, started(), declined(), end).when(record(gateAnswers.declined())).thenRejected({ reason: 'nothing-new' });
      given(accepted, started(), declined(), end).when(start()).thenRejected({ reason: 'order-final' });
    });

    it("starts no attempt while the outcome is unknown and ends with the gate's later answer", () => {
      given(accepted, started(), unknown()).when(start()).thenRejected({ reason: 'attempt-open' });
      given(accepted, started(), unknown()).when(record(gateAnswers.declined())).then(declined(), end);
    });
  });

  describe('the history of a recurrent payment', () => {
    it('projects to the accepted order and its progress', () => {
      const { state } = given(accepted, started(), declined(), end);
      expect(state).toMatchObject({ status: 'accepted', order: accepted.data, processing: { attempts: { status: 'declined' }, end } });
    });

    it('throws if it is impossible', () => {
      expect(() => given(started())).toThrow('AttemptStarted before OrderAccepted');
      expect(() => given(accepted, accepted)).toThrow('OrderAccepted twice');
    });
  });
});
