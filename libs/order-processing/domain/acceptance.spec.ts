import type { ContentDigest, EndpointId, OrderId } from '@app/kernel';
import { sampleOrder, samplePlan, servedOffer, usd } from '@app/testing';
import fc from 'fast-check';
import { answerToRepeat, termsOf, type Offer, type RequestedSums } from './acceptance';

const MAX = 10_000_000n;
const offer = servedOffer({ amountMaxMinor: MAX });
const sale = (minor: bigint): RequestedSums => ({ operation: 'sale', amount: usd(minor) });
const terms = { endpointId: '1001', plan: samplePlan() };

describe('the terms on which an entry point takes an order', () => {
  it.each([1n, MAX - 1n, MAX])('%s minor units are taken', (minor) => {
    expect(termsOf(offer, sale(minor))).toStrictEqual(terms);
  });

  it.each([-1n, 0n, MAX + 1n])('%s minor units are out of range', (minor) => {
    expect(termsOf(offer, sale(minor))).toStrictEqual({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'address-not-called'] as const)(
    'what is not offered is refused: %s',
    (reason) => {
      expect(termsOf({ kind: 'refused', reason }, sale(1n))).toStrictEqual({ reason });
      expect(termsOf({ kind: 'refused', reason }, sale(0n))).toStrictEqual({ reason });
    },
  );

  it('takes exactly the amounts from one minor unit to the maximum', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), fc.bigInt({ min: 1n, max: 10n ** 13n }), (minor, amountMaxMinor) => {
        const isTaken = !('reason' in termsOf(servedOffer({ amountMaxMinor }), sale(minor)));
        expect(isTaken).toBe(minor >= 1n && minor <= amountMaxMinor);
      }),
    );
  });

  it("are the serving endpoint's, also where a group was called", () => {
    const other: Offer = servedOffer({ endpointId: '1002' as EndpointId, plan: samplePlan({ payerMs: 1 }) });
    expect(termsOf(other, sale(1n))).toStrictEqual({ endpointId: '1002', plan: samplePlan({ payerMs: 1 }) });
  });
});

describe('the same client_orderid again', () => {
  const accepted = sampleOrder({ orderId: 'p0000000first01r' as OrderId, contentDigest: 'd1' as ContentDigest });

  it('with the same content names the same order', () => {
    expect(answerToRepeat(accepted, 'd1' as ContentDigest)).toStrictEqual({
      reason: 'accepted-before',
      orderId: 'p0000000first01r',
      endpointId: '1001',
    });
  });

  it('with other content is refused and tells nothing of the order', () => {
    expect(answerToRepeat(accepted, 'd2' as ContentDigest)).toStrictEqual({ reason: 'client-orderid-reused' });
  });
});
