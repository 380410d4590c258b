import fc from 'fast-check';
import { commissionOf, Secret, type Currency, type Instant, type Money } from '@app/kernel';
import { ruleOnCharge, ruleOnFollowUp, ruleOnQuote, ruleOnTransfer, ruleOnVerification, type RuledGate } from './charge-rules';
import { CARD, chargeRequest, RETURN_URL, transferRequest, USD } from './testing/charges';

const NOW = Date.UTC(2026, 6, 15) as Instant;
const SETTLES_AT = (NOW + 1_500) as Instant;
const gate: RuledGate = {
  currencies: new Set([USD]),
  cvvRequired: false,
  threeDSecure: false,
  declinesAllWith: undefined,
  undecidedForMs: 1_500,
  commission: { ratePerTenThousand: 150, minCentis: 30 },
};
const secure: RuledGate = { ...gate, threeDSecure: true };
const approved = { status: 'approved', decidedAt: NOW };
const declined = (code: number) => ({ status: 'declined', code, decidedAt: NOW });
const refused = { state: { status: 'refused' } };
const usd = (minor: bigint): Money => ({ minor, currency: USD });

const BY_CVV = [
  ['123', approved],
  ['1234', approved],
  ['111', approved],
  ['321', approved],
  ['217', { ...approved, knownFrom: SETTLES_AT }],
  ['218', { ...declined(100), knownFrom: SETTLES_AT }],
  ['101', declined(101)],
  ['116', declined(116)],
  ['119', declined(119)],
  ['209', declined(209)],
  ['999', declined(100)],
  ['0123', declined(100)],
] as const;

const BY_MINOR_PART = [
  [17n, { ...approved, knownFrom: SETTLES_AT }],
  [18n, { ...declined(100), knownFrom: SETTLES_AT }],
  [16n, declined(116)],
  [1n, declined(101)],
  [19n, declined(119)],
  [9n, declined(209)],
  [10n, approved],
  [90n, approved],
  [0n, approved],
] as const;

describe('the ruling on a charge (protocol decisions, section 9)', () => {
  it.each(BY_CVV)('is decided by CVV %s [W441, W443, W444]', (cvvDigits, state) => {
    // The amount would be declined 116, but the CVV takes precedence.
    expect(ruleOnCharge(chargeRequest({ cvvDigits, minor: 1_016n }), gate, NOW)).toEqual({ state });
  });

  it.each(BY_CVV.filter(([cvv]) => cvv !== '321'))('needs no authentication page for CVV %s on a 3-D Secure gate', (cvvDigits, state) => {
    const ruling = ruleOnCharge(chargeRequest({ cvvDigits, payerReturnUrl: RETURN_URL }), secure, NOW);
    expect(ruling).toEqual({ state: { ...state, payerAuthentication: 'UNSUPPORTED' } });
  });

  it('requires authentication for CVV 321 on a 3-D Secure gate [W442]', () => {
    const ruling = ruleOnCharge(chargeRequest({ cvvDigits: '321', payerReturnUrl: RETURN_URL }), secure, NOW);
    expect(ruling).toEqual({ state: { status: 'payer-pending' }, payerReturnUrl: RETURN_URL });
  });

  it('declines CVV 321 with 110 if the request has no return address', () => {
    const state = { ...declined(110), payerAuthentication: 'NOT_AUTHENTICATED' };
    expect(ruleOnCharge(chargeRequest({ cvvDigits: '321' }), secure, NOW)).toEqual({ state });
  });

  it.each(BY_MINOR_PART)('is decided by the minor part .%s without a CVV, with and without 3-D Secure [W447]', (minorPart, state) => {
    const request = chargeRequest({ minor: 4_200n + minorPart, payerReturnUrl: RETURN_URL });
    expect(ruleOnCharge(request, gate, NOW)).toEqual({ state });
    expect(ruleOnCharge(request, secure, NOW)).toEqual({ state });
  });

  it('declines with 100 for every CVV outside the table [W445]', () => {
    const listed = new Set<string>(BY_CVV.slice(0, 10).map(([cvv]) => cvv));
    const other = fc.stringMatching(/^\d{3,4}$/).filter((cvv) => !listed.has(cvv));
    fc.assert(
      fc.property(other, fc.bigInt({ min: 1n, max: 999_999_999_999n }), (cvvDigits, minor) => {
        expect(ruleOnCharge(chargeRequest({ cvvDigits, minor }), gate, NOW)).toEqual({ state: declined(100) });
      }),
    );
  });

  it('depends only on the minor part, for any amount', () => {
    const special = new Set([17n, 18n, 16n, 1n, 19n, 9n]);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (minor) => {
        const { state } = ruleOnCharge(chargeRequest({ minor }), gate, NOW);
        const isPlain = JSON.stringify(state) === JSON.stringify(approved);
        expect(isPlain).toBe(!special.has(minor % 100n));
        expect(ruleOnCharge(chargeRequest({ minor: (minor % 100n) + 100n }), gate, NOW)).toEqual({ state });
      }),
    );
  });

  it.each(['123', '321', '217', undefined])('declines an expired card with 101, CVV %s', (cvvDigits) => {
    const card = new Secret({ ...CARD, expiryYear: 2026, expiryMonth: 6 });
    const request = chargeRequest({ card, payerReturnUrl: RETURN_URL, ...(cvvDigits === undefined ? {} : { cvvDigits }) });
    expect(ruleOnCharge(request, gate, NOW)).toEqual({ state: declined(101) });
    const authentication = cvvDigits === undefined ? {} : { payerAuthentication: 'UNSUPPORTED' };
    expect(ruleOnCharge(request, secure, NOW)).toEqual({ state: { ...declined(101), ...authentication } });
  });

  it('accepts a card until the last millisecond of its expiry month', () => {
    const request = chargeRequest({ card: new Secret({ ...CARD, expiryYear: 2026, expiryMonth: 12 }), cvvDigits: '123' });
    const newYear = Date.UTC(2027, 0, 1);
    expect(ruleOnCharge(request, gate, (newYear - 1) as Instant).state.status).toBe('approved');
    expect(ruleOnCharge(request, gate, newYear as Instant).state.status).toBe('declined');
  });

  it.each(['123', '321', '217', '116', undefined])('declines every charge with the configured code, CVV %s [W450]', (cvvDigits) => {
    const request = chargeRequest({ payerReturnUrl: RETURN_URL, ...(cvvDigits === undefined ? {} : { cvvDigits }) });
    expect(ruleOnCharge(request, { ...gate, declinesAllWith: 105 }, NOW)).toEqual({ state: declined(105) });
    expect(ruleOnCharge(request, { ...secure, declinesAllWith: 105 }, NOW).state).toMatchObject(declined(105));
  });

  it('refuses a missing required CVV, another currency, and an amount of zero or below', () => {
    expect(ruleOnCharge(chargeRequest(), { ...gate, cvvRequired: true }, NOW)).toEqual(refused);
    expect(ruleOnCharge(chargeRequest({ amount: { minor: 1_000n, currency: 'EUR' as Currency } }), gate, NOW)).toEqual(refused);
    expect(ruleOnCharge(chargeRequest({ minor: 0n }), gate, NOW)).toEqual(refused);
    expect(ruleOnCharge(chargeRequest({ minor: -100n }), gate, NOW)).toEqual(refused);
    expect(ruleOnCharge(chargeRequest({ cvvDigits: '123' }), { ...gate, cvvRequired: true }, NOW)).toEqual({ state: approved });
  });
});

describe('the ruling on a verification and on a follow-up (protocol decisions, section 9)', () => {
  it.each(BY_CVV)('a verification is decided by CVV %s [W446]', (cvvDigits, state) => {
    const { amount: _amount, ...request } = chargeRequest({ cvvDigits });
    const withdrawn = state.status === 'approved' ? { randomSumMinor: 111n } : {};
    expect(ruleOnVerification(request, USD, gate, NOW)).toEqual({ state, ...withdrawn });
  });

  it('a verification withdraws 100 minor units plus the last two digits of the card', () => {
    const { amount: _amount, ...request } = chargeRequest({ cvvDigits: '123' });
    fc.assert(
      fc.property(fc.stringMatching(/^\d{7,17}$/), fc.nat({ max: 99 }), (digits, lastTwo) => {
        const card = new Secret({ ...CARD, number: `${digits}${String(lastTwo).padStart(2, '0')}` });
        expect(ruleOnVerification({ ...request, card }, USD, gate, NOW).randomSumMinor).toBe(BigInt(100 + lastTwo));
      }),
    );
  });

  it('a verification in a currency that the gate does not support is refused', () => {
    const { amount: _amount, ...request } = chargeRequest({ cvvDigits: '123' });
    expect(ruleOnVerification(request, 'EUR' as Currency, gate, NOW)).toEqual(refused);
  });

  it.each(BY_MINOR_PART)('a follow-up is decided by the minor part .%s [W448]', (minorPart, state) => {
    expect(ruleOnFollowUp(usd(4_200n + minorPart), gate, NOW)).toEqual(state);
  });

  it('a follow-up is declined with the gate’s code if the gate declines everything [W450]', () => {
    expect(ruleOnFollowUp(usd(4_217n), { ...gate, declinesAllWith: 105 }, NOW)).toEqual(declined(105));
  });
});

describe('the ruling on a transfer and on its quote (protocol decisions, sections 8 and 9)', () => {
  const quoteRequest = (amount: Money) => {
    const { merchant, endpointId } = chargeRequest();
    return { merchant, endpointId, amount, sourceBin: '444433', destinationBin: '555555' };
  };
  const rates = fc.record({ ratePerTenThousand: fc.nat({ max: 10_000 }), minCentis: fc.nat({ max: 1_000_000 }) });

  it.each(BY_CVV)('is decided by CVV %s, and an approved transfer has a commission', (cvvDigits, state) => {
    const held = state.status === 'approved' ? { commissionMinor: 64n } : {};
    // 1.5 % of 42.66 is 63.99 minor units; the minor part is approved anyway.
    expect(ruleOnTransfer(transferRequest({ cvvDigits, minor: 4_266n }), gate, NOW)).toEqual({ state, ...held });
  });

  it.each(BY_MINOR_PART)('is decided by the minor part .%s without a CVV', (minorPart, state) => {
    const held = state.status === 'approved' ? { commissionMinor: 63n } : {};
    expect(ruleOnTransfer(transferRequest({ minor: 4_100n + minorPart }), gate, NOW)).toMatchObject({ state });
    expect(
      ruleOnTransfer(
        transferRequest({ minor: 4_100n + minorPart }),
        { ...gate, commission: { ratePerTenThousand: 0, minCentis: 63 } },
        NOW,
      ),
    ).toEqual({
      state,
      ...held,
    });
  });

  it('requires authentication for CVV 321 and records the commission', () => {
    const request = transferRequest({ cvvDigits: '321', payerReturnUrl: RETURN_URL });
    const ruling = { state: { status: 'payer-pending' }, payerReturnUrl: RETURN_URL, commissionMinor: 30n };
    expect(ruleOnTransfer(request, secure, NOW)).toEqual(ruling);
  });

  it('has no commission at a gate that declines everything', () => {
    expect(ruleOnTransfer(transferRequest({ cvvDigits: '123' }), { ...gate, declinesAllWith: 105 }, NOW)).toEqual({
      state: declined(105),
    });
  });

  it('charges the quoted commission: the rate, rounded half up, but at least the minimum', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), rates, (minor, commission) => {
        const table: RuledGate = { ...gate, commission };
        const quoted = ruleOnQuote(quoteRequest(usd(minor)), table);
        const { commissionMinor } = ruleOnTransfer(transferRequest({ minor, cvvDigits: '123' }), table, NOW);
        expect(quoted).toEqual({ kind: 'quoted', commission: usd(commissionMinor ?? -1n) });
        expect(commissionMinor).toBe(commissionOf(minor, commission));
        const twiceTooMuch = 2n * ((commissionMinor ?? 0n) * 10_000n - minor * BigInt(commission.ratePerTenThousand));
        const isMinimum = commissionMinor === BigInt(commission.minCentis);
        expect(isMinimum || (twiceTooMuch > -10_000n && twiceTooMuch <= 10_000n)).toBe(true);
        expect((commissionMinor ?? 0n) >= BigInt(commission.minCentis)).toBe(true);
      }),
    );
  });

  it('never quotes less for a larger amount', () => {
    const quoteOf = (minor: bigint, commission: RuledGate['commission']): bigint => {
      const quoted = ruleOnQuote(quoteRequest(usd(minor)), { ...gate, commission });
      if (quoted.kind !== 'quoted') throw new Error('not quoted');
      return quoted.commission.minor;
    };
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(amounts, amounts, rates, (minor, more, commission) => {
        expect(quoteOf(minor + more, commission) >= quoteOf(minor, commission)).toBe(true);
      }),
    );
  });

  it('gives no quote for a transfer that the gate would refuse', () => {
    for (const amount of [{ minor: 1_000n, currency: 'EUR' as Currency }, usd(0n), usd(-1n)]) {
      expect(ruleOnQuote(quoteRequest(amount), gate)).toEqual({ kind: 'not-quoted' });
      expect(ruleOnTransfer(transferRequest({ amount, cvvDigits: '123' }), gate, NOW)).toEqual(refused);
    }
  });
});
