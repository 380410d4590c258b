import type { ContentDigest, EndpointId } from '@app/kernel';
import {
  ACCEPTED_AT,
  afterAcceptance,
  BOOT_ID,
  deciderSpec,
  sampleOrder,
  samplePlan,
  sampleRequest,
  servedOffer,
  usd,
  attemptEvents,
  finalEvents,
  gateAnswers,
  processingCommands,
  RECEIPT_ID,
  ANSWERED_AT,
} from '@app/testing';
import { payment, type AcceptPayment, type PaymentAccepted } from './payment';

const { given } = deciderSpec(payment);
const MAX = 10_000_000n;

const accept = (data: Partial<AcceptPayment['data']> = {}): AcceptPayment => ({
  type: 'AcceptPayment',
  data: { order: sampleRequest(), operation: 'sale', offer: servedOffer({ amountMaxMinor: MAX }), now: ACCEPTED_AT, ...data },
});
const acceptAmount = (minor: bigint): AcceptPayment => accept({ order: sampleRequest({ amount: usd(minor) }) });
const accepted = (data: Parameters<typeof sampleOrder>[0] = {}): PaymentAccepted => ({ type: 'OrderAccepted', data: sampleOrder(data) });

describe('an initial payment', () => {
  it('is accepted once with the merchant’s data and the terms of its entry point', () => {
    given().when(accept()).then(accepted());
    given(accepted())
      .when(accept())
      .thenRejected({ reason: 'accepted-before', orderId: sampleOrder().orderId, endpointId: '1001' as EndpointId });
  });

  it('is accepted with the offered plan and endpoint at the time of the command', () => {
    const plan = samplePlan({ cvvHolder: BOOT_ID, payerMs: 60_000, callbacks: ['callback', 'notify'] });
    const endpointId = '1002' as EndpointId;
    given()
      .when(accept({ offer: servedOffer({ plan, endpointId }), now: afterAcceptance(7) }))
      .then(accepted({ plan, endpointId, acceptedAt: afterAcceptance(7) }));
  });

  it('is accepted as a preauth and as an account verification without an amount', () => {
    const preauth = samplePlan({ operation: 'preauth' });
    given()
      .when(accept({ operation: 'preauth', offer: servedOffer({ plan: preauth, amountMaxMinor: MAX }) }))
      .then(accepted({ plan: preauth }));
    const verification = samplePlan({ operation: 'account-verification' });
    const order = sampleRequest({ amount: usd(0n) });
    given()
      .when(accept({ operation: 'account-verification', order, offer: servedOffer({ plan: verification }) }))
      .then(accepted({ plan: verification, amount: usd(0n) }));
  });

  it.each([1n, MAX])('of %s minor units is accepted', (minor) => {
    given()
      .when(acceptAmount(minor))
      .then(accepted({ amount: usd(minor) }));
  });

  it.each([-1n, 0n, MAX + 1n])('of %s minor units is rejected each time', (minor) => {
    given().when(acceptAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
    given().when(acceptAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'is rejected with the reason of a refused offer: %s',
    (reason) => {
      const command = accept({ offer: { kind: 'refused', reason } });
      given().when(command).thenRejected({ reason });
      given().when(command).thenRejected({ reason });
    },
  );
});

describe('a repeat of an accepted payment', () => {
  const sameOrder = { reason: 'accepted-before', orderId: sampleOrder().orderId, endpointId: sampleOrder().endpointId } as const;
  const other = sampleRequest({ contentDigest: 'other' as ContentDigest });

  it('returns the first order, even with another order id or endpoint', () => {
    const order = sampleRequest({ orderId: 'p0000000second1r' as never });
    given(accepted())
      .when(accept({ order, offer: servedOffer({ endpointId: '1002' as EndpointId }) }))
      .thenRejected(sameOrder);
  });

  it('with different content is rejected each time', () => {
    given(accepted())
      .when(accept({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
    given(accepted())
      .when(accept({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'gets the same answer even if the offer is now refused (%s)',
    (reason) => {
      const offer = { kind: 'refused', reason } as const;
      given(accepted()).when(accept({ offer })).thenRejected(sameOrder);
      given(accepted())
        .when(accept({ offer, order: other }))
        .thenRejected({ reason: 'client-orderid-reused' });
    },
  );

  it('gets the same answer even if it exceeds the current maximum', () => {
    given(accepted())
      .when(accept({ offer: servedOffer({ amountMaxMinor: 1n }) }))
      .thenRejected(sameOrder);
  });
});

describe('payment decider', () => {
  const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
  const { started, approved, unknown, challenged } = attemptEvents;
  const accepted: PaymentAccepted = { type: 'OrderAccepted', data: sampleOrder() };
  const end = finalEvents.approved({ approvedAt: ANSWERED_AT });

  describe('the processing of a payment', () => {
    it.each([start(), record(gateAnswers.approved()), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
      'ignores $type before the acceptance',
      (command) => given().when(command).thenRejected({ reason: 'nothing-new' }),
    );

    it('starts once, after the acceptance', () => {
      given(accepted).when(start()).then(started());
      given(accepted, started()).when(start()).thenRejected({ reason: 'attempt-open' });
    });

    it("ends once with the gate's answer, in the same append", () => {
      given(accepted, started()).when(record(gateAnswers.approved())).then(approved(), end);
      given(accepted, started(), approved(), end).when(record(gateAnswers.approved())).thenRejected({ reason: 'nothing-new' });
      given(accepted, started(), approved(), end).when(start()).thenRejected({ reason: 'order-final' });
    });

    it("starts no attempt while the outcome is unknown and ends with the gate's later answer", () => {
      given(accepted, started(), unknown()).when(start()).thenRejected({ reason: 'attempt-open' });
      given(accepted, started(), unknown()).when(record(gateAnswers.approved())).then(approved(), end);
    });

    it.each([
      ['accepted', [accepted]],
      ['in progress', [accepted, started()]],
      ['with the payer', [accepted, started(), challenged()]],
      ['unknown', [accepted, started(), unknown()]],
      ['final', [accepted, started(), approved(), end]],
    ])('does not change the answer to a repeated request: %s', (_, history) => {
      const again: AcceptPayment = {
        type: 'AcceptPayment',
        data: { order: sampleRequest(), operation: 'sale', offer: servedOffer(), now: ANSWERED_AT },
      };
      const { orderId, endpointId } = accepted.data;
      given(...history)
        .when(again)
        .thenRejected({ reason: 'accepted-before', orderId, endpointId });
    });
  });

  describe('the history of a payment', () => {
    it('projects to the accepted order and its progress', () => {
      const { state } = given(accepted, started(), approved(), end);
      expect(state).toMatchObject({ status: 'accepted', order: accepted.data, processing: { attempts: { status: 'approved' }, end } });
      expect(end.data.receiptId).toBe(RECEIPT_ID);
    });

    it('throws if it is impossible', () => {
      expect(() => given(started())).toThrow('AttemptStarted before OrderAccepted');
      expect(() => given(accepted, accepted)).toThrow('OrderAccepted twice');
    });
  });
});
