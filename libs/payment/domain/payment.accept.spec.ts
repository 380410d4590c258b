import type { ContentDigest, EndpointId } from '@app/kernel';
import { ACCEPTED_AT, afterAcceptance, BOOT_ID, deciderSpec, sampleOrder, samplePlan, sampleRequest, servedOffer, usd } from '@app/testing';
import { payment, type AcceptPayment } from './payment.decide';
import type { PaymentAccepted } from './payment.events';

const { given } = deciderSpec(payment);
const MAX = 10_000_000n;

const take = (data: Partial<AcceptPayment['data']> = {}): AcceptPayment => ({
  type: 'AcceptPayment',
  data: { order: sampleRequest(), operation: 'sale', offer: servedOffer({ amountMaxMinor: MAX }), now: ACCEPTED_AT, ...data },
});
const takeAmount = (minor: bigint): AcceptPayment => take({ order: sampleRequest({ amount: usd(minor) }) });
const accepted = (data: Parameters<typeof sampleOrder>[0] = {}): PaymentAccepted => ({ type: 'OrderAccepted', data: sampleOrder(data) });

describe('an initial payment', () => {
  it('is accepted once, with all that the merchant sent and the terms of its entry point', () => {
    given().when(take()).then(accepted());
    given(accepted())
      .when(take())
      .thenRejected({ reason: 'accepted-before', orderId: sampleOrder().orderId, endpointId: '1001' as EndpointId });
  });

  it('is accepted on the plan that was offered, served by the endpoint that was chosen, at the time that was told', () => {
    const plan = samplePlan({ cvvHolder: BOOT_ID, payerMs: 60_000, callbacks: ['callback', 'notify'] });
    const endpointId = '1002' as EndpointId;
    given()
      .when(take({ offer: servedOffer({ plan, endpointId }), now: afterAcceptance(7) }))
      .then(accepted({ plan, endpointId, acceptedAt: afterAcceptance(7) }));
  });

  it('is accepted as a pre-authorisation, and as an account verification, which has no amount', () => {
    const preauth = samplePlan({ operation: 'preauth' });
    given()
      .when(take({ operation: 'preauth', offer: servedOffer({ plan: preauth, amountMaxMinor: MAX }) }))
      .then(accepted({ plan: preauth }));
    const verification = samplePlan({ operation: 'account-verification' });
    const order = sampleRequest({ amount: usd(0n) });
    given()
      .when(take({ operation: 'account-verification', order, offer: servedOffer({ plan: verification }) }))
      .then(accepted({ plan: verification, amount: usd(0n) }));
  });

  it.each([1n, MAX])('of %s minor units is within the range', (minor) => {
    given()
      .when(takeAmount(minor))
      .then(accepted({ amount: usd(minor) }));
  });

  it.each([-1n, 0n, MAX + 1n])('of %s minor units is refused, and again', (minor) => {
    given().when(takeAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
    given().when(takeAmount(minor)).thenRejected({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'that is not offered is refused: %s',
    (reason) => {
      const command = take({ offer: { kind: 'refused', reason } });
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
      .when(take({ order, offer: servedOffer({ endpointId: '1002' as EndpointId }) }))
      .thenRejected(sameOrder);
  });

  it('with other content is refused, and again', () => {
    given(accepted())
      .when(take({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
    given(accepted())
      .when(take({ order: other }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    "is answered before today's rules: an accepted order stays accepted (%s)",
    (reason) => {
      const offer = { kind: 'refused', reason } as const;
      given(accepted()).when(take({ offer })).thenRejected(sameOrder);
      given(accepted())
        .when(take({ offer, order: other }))
        .thenRejected({ reason: 'client-orderid-reused' });
    },
  );

  it("is answered before today's maximum", () => {
    given(accepted())
      .when(take({ offer: servedOffer({ amountMaxMinor: 1n }) }))
      .thenRejected(sameOrder);
  });
});
