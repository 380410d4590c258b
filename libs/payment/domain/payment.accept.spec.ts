import type { ContentDigest, EndpointId } from '@app/kernel';
import { ACCEPTED_AT, afterAcceptance, BOOT_ID, deciderSpec, sampleOrder, samplePlan, sampleRequest, servedOffer, usd } from '@app/testing';
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
  it('is accepted once, with all that the merchant sent and the terms of its entry point', () => {
    given().when(accept()).then(accepted());
    given(accepted())
      .when(accept())
      .thenRejected({ reason: 'accepted-before', orderId: sampleOrder().orderId, endpointId: '1001' as EndpointId });
  });

  it('is accepted on the plan that was offered, for the endpoint that was chosen, at the time of the command', () => {
    const plan = samplePlan({ cvvHolder: BOOT_ID, payerMs: 60_000, callbacks: ['callback', 'notify'] });
    const endpointId = '1002' as EndpointId;
    given()
      .when(accept({ offer: servedOffer({ plan, endpointId }), now: afterAcceptance(7) }))
      .then(accepted({ plan, endpointId, acceptedAt: afterAcceptance(7) }));
  });

  it('is accepted as a pre-authorisation, and as an account verification, which has no amount', () => {
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

  it.each([1n, MAX])('of %s minor units is within the range', (minor) => {
    given()
      .when(acceptAmount(minor))
      .then(accepted({ amount: usd(minor) }));
  });

  it.each([-1n, 0n, MAX + 1n])('of %s minor units is refused, and refused again when repeated', (minor) => {
    given().when(acceptAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
    given().when(acceptAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'is refused where the entry point offers none: %s',
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

  it('names the first order, whatever id and endpoint the repeat would have got', () => {
    const order = sampleRequest({ orderId: 'p0000000second1r' as never });
    given(accepted())
      .when(accept({ order, offer: servedOffer({ endpointId: '1002' as EndpointId }) }))
      .thenRejected(sameOrder);
  });

  it('with other content is refused, and refused again', () => {
    given(accepted())
      .when(accept({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
    given(accepted())
      .when(accept({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    "is answered before today's rules: an accepted order stays accepted (%s)",
    (reason) => {
      const offer = { kind: 'refused', reason } as const;
      given(accepted()).when(accept({ offer })).thenRejected(sameOrder);
      given(accepted())
        .when(accept({ offer, order: other }))
        .thenRejected({ reason: 'client-orderid-reused' });
    },
  );

  it("is answered before today's maximum is checked", () => {
    given(accepted())
      .when(accept({ offer: servedOffer({ amountMaxMinor: 1n }) }))
      .thenRejected(sameOrder);
  });
});
