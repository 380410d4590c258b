import type { ContentDigest, EndpointId, OrderId } from '@app/kernel';
import { sampleOrder, samplePlan, servedOffer, usd } from '@app/testing';
import fc from 'fast-check';
import { answerToRepeat, termsOf, type Offer, type RequestedSums } from './acceptance';

const MAX = 10_000_000n;
const offer = servedOffer({ amountMaxMinor: MAX });
const sale = (minor: bigint): RequestedSums => ({ operation: 'sale', amount: usd(minor) });
const terms = { endpointId: '1001', plan: samplePlan() };

describe('the terms of an entry point', () => {
  it.each([1n, MAX - 1n, MAX])('accept an amount of %s minor units', (minor) => {
    expect(termsOf(offer, sale(minor))).toStrictEqual(terms);
  });

  it.each([-1n, 0n, MAX + 1n])('reject an amount of %s minor units as out of range', (minor) => {
    expect(termsOf(offer, sale(minor))).toStrictEqual({ reason: 'amount-out-of-range' });
  });

  it.each(['operation-not-offered', 'currency-not-served', 'cvv-required', 'email-required', 'address-not-called'] as const)(
    'reject a refused offer with its reason: %s',
    (reason) => {
      expect(termsOf({ kind: 'refused', reason }, sale(1n))).toStrictEqual({ reason });
      expect(termsOf({ kind: 'refused', reason }, sale(0n))).toStrictEqual({ reason });
    },
  );

  it('accept exactly the amounts from one minor unit to the maximum', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), fc.bigInt({ min: 1n, max: 10n ** 13n }), (minor, amountMaxMinor) => {
        const isTaken = !('reason' in termsOf(servedOffer({ amountMaxMinor }), sale(minor)));
        expect(isTaken).toBe(minor >= 1n && minor <= amountMaxMinor);
      }),
    );
  });

  it('accept several amounts to try in sequence, including equal ones', () => {
    const amounts = [usd(MAX), usd(1n), usd(1n)] as const;
    const asked = { operation: 'sale', amount: usd(500n), amounts } as const;
    expect(termsOf(offer, asked)).toStrictEqual({ ...terms, plan: samplePlan({ amounts }) });
  });

  it.each([0n, MAX + 1n])('reject a list that contains %s minor units, and any list if the amount is out of range', (minor) => {
    const within = { operation: 'sale', amounts: [usd(1n)] } as const;
    const rejection = { reason: 'amount-out-of-range' };
    expect(termsOf(offer, { operation: 'sale', amount: usd(1n), amounts: [usd(1n), usd(minor)] })).toStrictEqual(rejection);
    expect(termsOf(offer, { ...within, amount: usd(minor) })).toStrictEqual(rejection);
  });

  it('ignore the amount of an account verification', () => {
    const plan = samplePlan({ operation: 'account-verification' });
    const asked = { operation: 'account-verification', amount: usd(0n) } as const;
    expect(termsOf(servedOffer({ plan, amountMaxMinor: 1n }), asked)).toStrictEqual({ endpointId: '1001', plan });
  });

  it('throw for an operation other than the offered one', () => {
    expect(() => termsOf(offer, { operation: 'preauth', amount: usd(1n) })).toThrow('an offer of sale for preauth');
  });

  it('contain the serving endpoint, even if a group was called', () => {
    const other: Offer = servedOffer({ endpointId: '1002' as EndpointId, plan: samplePlan({ payerMs: 1 }) });
    expect(termsOf(other, sale(1n))).toStrictEqual({ endpointId: '1002', plan: samplePlan({ payerMs: 1 }) });
  });
});

describe('a repeated client_orderid', () => {
  const accepted = sampleOrder({ orderId: 'p0000000first01r' as OrderId, contentDigest: 'd1' as ContentDigest });

  it('with the same content returns the same order', () => {
    expect(answerToRepeat(accepted, 'd1' as ContentDigest)).toStrictEqual({
      reason: 'accepted-before',
      orderId: 'p0000000first01r',
      endpointId: '1001',
    });
  });

  it('with other content is refused and reveals nothing of the order', () => {
    expect(answerToRepeat(accepted, 'd2' as ContentDigest)).toStrictEqual({ reason: 'client-orderid-reused' });
  });
});
