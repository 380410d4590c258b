import * as fc from 'fast-check';
import { Secret } from '@app/kernel';
import type { ControlKey } from '../shared/control-key';
import { FIXED_LENGTHS, isAmbiguousSignedText, WIRE_LENGTHS } from './signed-text-ambiguity';
import {
  checkSaleSignature,
  checkTransferSignature,
  checkVerificationSignature,
  isDeviceSignature,
  notificationSignature,
  paymentSignature,
  verificationSignature,
} from './signatures';

const KEY: ControlKey = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const KNOWN = {
  accessToken: '123456789012345678901234567890123456789012345678901234567890abcd',
  serialNumber: 'abcd',
  endpointId: '1234',
  nonce: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ^$',
  invoiceId: '33333333-3333-3333-3333-333333333333',
  currency: 'RUB',
};

describe('known answers (protocol decisions, section 5)', () => {
  it('signs initiate verification [W317]', () =>
    expect(verificationSignature(KNOWN, KEY)).toBe('DD5F19E3467FFBC7C1263422A7B21471394F0799'));

  it('signs check sale with a source reference [W317]', () =>
    expect(checkSaleSignature({ ...KNOWN, sourceServerCardId: '1326586' }, KEY)).toBe('2D866741B7EB1D6B51E988E7D25BBDA75913FAC4'));
});

describe('requests with the same signed text (safety, section 3.1)', () => {
  const a = { accessToken: 'a'.repeat(32), serialNumber: 'SN-1', endpointId: '39', nonce: 'n'.repeat(32), currency: 'EUR' };

  it.each([
    ['sale, invoice 7, 12345', () => paymentSignature({ ...a, invoiceId: '7', amountCentis: 12_345 }, KEY)],
    ['sale, invoice 712, 345', () => paymentSignature({ ...a, invoiceId: '712', amountCentis: 345 }, KEY)],
    ['verification, invoice 712345', () => verificationSignature({ ...a, invoiceId: '712345' }, KEY)],
  ])('%s', (_, sign) => expect(sign().toLowerCase()).toBe('18b9cffd1a4fe580a19d65b0a9d7b09c2b5fd8a3'));

  it.each([
    ['39', '7', '12'],
    ['39', '71', '2'],
    ['3', '97', '12'],
  ])('check sale: endpoint %s, invoice %s, serverCardId %s', (endpointId, invoiceId, sourceServerCardId) =>
    expect(checkSaleSignature({ ...a, endpointId, invoiceId, sourceServerCardId }, KEY).toLowerCase()).toBe(
      'd4a8ac8fced8e6435da6726673cd31976779a871',
    ),
  );

  it('check verification signs like check sale without a reference and like check transfer without cards', () => {
    const signed = { ...a, invoiceId: '7' };
    expect(checkSaleSignature(signed, KEY)).toBe(checkVerificationSignature(signed, KEY));
    expect(checkTransferSignature(signed, KEY)).toBe(checkVerificationSignature(signed, KEY));
  });
});

const text = (max: number) => fc.string({ minLength: 1, maxLength: max });
const signed = fc.record({
  accessToken: text(8),
  serialNumber: text(8),
  endpointId: text(4),
  nonce: text(8),
  invoiceId: text(8),
  currency: fc.constantFrom('EUR', 'USD'),
  amountCentis: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  sourceServerCardId: text(4),
  destinationServerCardId: text(4),
});

describe('signatures (interface, section 5.3)', () => {
  const values = { accessToken: 'A', serialNumber: 'S', endpointId: 'E', nonce: 'N', invoiceId: 'I', currency: 'CUR', amountCentis: 5 };
  const cards = { sourceServerCardId: 'src', destinationServerCardId: 'dst' };
  /** A verification with this signed text, since the text itself is not exposed. */
  const ofText = (whole: string): string =>
    verificationSignature({ accessToken: whole, serialNumber: '', endpointId: '', nonce: '', invoiceId: '', currency: '' }, KEY);

  it.each([
    ['session.signature, initiate verification [W141]', verificationSignature(values, KEY), 'ASENICUR'],
    ['session.signature, initiate sale or transfer [W142]', paymentSignature(values, KEY), 'ASENI5CUR'],
    ['session.checkSignature, check verification [W143]', checkVerificationSignature(values, KEY), 'SNEI'],
    ['session.checkSignature, check sale [W144]', checkSaleSignature({ ...values, ...cards }, KEY), 'SNEIsrc'],
    ['session.checkSignature, check sale, no reference', checkSaleSignature(values, KEY), 'SNEI'],
    ['session.checkSignature, check transfer [W145]', checkTransferSignature({ ...values, ...cards }, KEY), 'SNdstEIsrc'],
    [
      'session.checkSignature, check transfer, source only',
      checkTransferSignature({ ...values, sourceServerCardId: 'src' }, KEY),
      'SNEIsrc',
    ],
    [
      'session.checkSignature, check transfer, destination only',
      checkTransferSignature({ ...values, destinationServerCardId: 'dst' }, KEY),
      'SNdstEI',
    ],
    ['session.checkSignature, any card mapping notification [W146]', notificationSignature(values, KEY), 'NEI'],
  ])('%s', (_, signature, whole) => {
    expect(signature).toBe(ofText(whole));
    expect(signature).toMatch(/^[0-9A-F]{40}$/);
  });

  it('is accepted in upper and lower case, and only for the same signed text [W318]', () => {
    fc.assert(
      fc.property(signed, signed, (one, other) => {
        const signature = paymentSignature(one, KEY);
        expect(isDeviceSignature(signature, signature.toLowerCase())).toBe(true);
        const isSameText = (['accessToken', 'serialNumber', 'endpointId', 'nonce', 'invoiceId', 'amountCentis', 'currency'] as const)
          .map((name) => [one[name], other[name]].map(String))
          .reduce((joined, [a = '', b = '']) => [`${joined[0]}${a}`, `${joined[1]}${b}`], ['', '']);
        expect(isDeviceSignature(signature, paymentSignature(other, KEY))).toBe(isSameText[0] === isSameText[1]);
      }),
    );
  });

  it('changes with every signed value', () => {
    fc.assert(
      fc.property(signed, (one) => {
        for (const name of ['serialNumber', 'nonce', 'endpointId', 'invoiceId', 'sourceServerCardId', 'destinationServerCardId'] as const)
          expect(checkTransferSignature({ ...one, [name]: `${one[name]}x` }, KEY)).not.toBe(checkTransferSignature(one, KEY));
      }),
    );
  });

  it('accepts a key with or without dashes, and throws for one that Buffer would truncate (safety, T3) [W147]', () => {
    expect(verificationSignature(KNOWN, new Secret(KEY.reveal().replaceAll('-', '').toLowerCase()))).toBe(
      verificationSignature(KNOWN, KEY),
    );
    for (const bad of ['', 'zz'.repeat(16), `${'a'.repeat(31)}g`, 'a'.repeat(33)])
      expect(() => verificationSignature(KNOWN, new Secret(bad))).toThrow('a control key that is none');
  });

  it.each([0.5, Number.NaN, 2 ** 53, Infinity])('throws for the amount %p', (amountCentis) =>
    expect(() => paymentSignature({ ...KNOWN, amountCentis }, KEY)).toThrow(new RangeError('an amount that is no safe integer')),
  );
});

describe('detection of ambiguous signed texts (safety, section 3.1)', () => {
  const base = { ...KNOWN, invoiceId: '7' };

  it('detects the known ambiguous vectors', () => {
    expect(isAmbiguousSignedText({ ...base, amountCentis: 12_345 })).toBe(true);
    expect(isAmbiguousSignedText({ ...base, invoiceId: '712345' })).toBe(true);
  });

  it('finds no ambiguity with a shortest nonce and invoice id, but finds one if an amount follows', () => {
    const shortest = { ...KNOWN, nonce: 'n'.repeat(32), invoiceId: 'i' };
    expect(isAmbiguousSignedText(shortest)).toBe(false);
    expect(isAmbiguousSignedText({ ...shortest, amountCentis: 1 })).toBe(true);
  });

  it("finds no ambiguity with the merchant server's fixed-length nonces and invoice ids", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 64, maxLength: 64, unit: 'grapheme-ascii' }), fc.uuid(), signed, (nonce, invoiceId, rest) => {
        expect(isAmbiguousSignedText({ ...rest, nonce, invoiceId }, FIXED_LENGTHS)).toBe(false);
      }),
    );
  });

  it.each<[invoiceId: string, amountCentis: number, isAmbiguous: boolean]>([
    ['i8', 111_111_111_111_111, true],
    ['i9', 111_111_111_111_111, false],
    ['i1', 1_111_111_111_111_111, false],
    ['i0', 111_111_111_111_111, false],
  ])('considers only safe integers of up to 16 digits an amount: invoice %s and %d', (invoiceId, amountCentis, isAmbiguous) => {
    const lengths = { nonce: { min: 1, max: 1 }, invoiceId: { min: 1, max: 2 } };
    expect(isAmbiguousSignedText({ ...KNOWN, nonce: 'n', invoiceId, amountCentis }, lengths)).toBe(isAmbiguous);
  });

  it('considers only digits an amount, not other notations of a number', () => {
    const lengths = { nonce: { min: 1, max: 1 }, invoiceId: { min: 1, max: 2 } };
    expect(isAmbiguousSignedText({ ...KNOWN, nonce: 'n', invoiceId: '7123' }, lengths)).toBe(true);
    expect(isAmbiguousSignedText({ ...KNOWN, nonce: 'n', invoiceId: '71e3' }, lengths)).toBe(false);
  });

  it('agrees with a search of every split', () => {
    const chosen = fc.string({ unit: fc.constantFrom('0', '7', 'x'), minLength: 1, maxLength: 8 });
    const lengths = { nonce: { min: 2, max: 4 }, invoiceId: { min: 1, max: 3 } };
    const bySearch = (nonce: string, invoiceId: string, amount: string): boolean => {
      const whole = nonce + invoiceId + amount;
      for (let n = lengths.nonce.min; n <= lengths.nonce.max; n++)
        for (let i = lengths.invoiceId.min; i <= lengths.invoiceId.max; i++) {
          const rest = whole.slice(n + i);
          const isReading = n + i <= whole.length && (rest === '' || /^[1-9]\d{0,15}$/.test(rest));
          if (isReading && (n !== nonce.length || i !== invoiceId.length)) return true;
        }
      return false;
    };
    fc.assert(
      fc.property(chosen, chosen, fc.option(fc.integer({ min: 1, max: 9_999 }), { nil: undefined }), (nonce, invoiceId, amountCentis) => {
        const one = { ...KNOWN, nonce, invoiceId, ...(amountCentis !== undefined && { amountCentis }) };
        expect(isAmbiguousSignedText(one, lengths)).toBe(bySearch(nonce, invoiceId, amountCentis?.toString() ?? ''));
      }),
      { numRuns: 2_000 },
    );
  });

  it('uses the lengths of the interface and those of our own merchant server', () => {
    expect(WIRE_LENGTHS).toStrictEqual({ nonce: { min: 32, max: 128 }, invoiceId: { min: 1, max: 128 } });
    expect(FIXED_LENGTHS).toStrictEqual({ nonce: { min: 64, max: 64 }, invoiceId: { min: 36, max: 36 } });
  });
});
