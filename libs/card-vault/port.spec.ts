import fc from 'fast-check';
import { faceOf } from './port';

const face = (number: string) => faceOf({ number, expiryMonth: 1, expiryYear: 2030, holder: 'H' });

describe('a masked card', () => {
  it.each([
    ['4444333322221111', 'VISA'],
    ['5555555555554444', 'MASTERCARD'],
    ['2221000000000009', 'MASTERCARD'],
    ['2720990000000007', 'MASTERCARD'],
    ['2204000000000000', 'MIR'],
    ['378282246310005', 'AMEX'],
    ['30569309025904', 'DINERS'],
    ['6011111111111117', 'DISCOVER'],
    ['3530111333300000', 'JCB'],
    ['6200000000000005', 'UNIONPAY'],
    ['6304000000000000', 'MAESTRO'],
    ['9999999999999995', 'UNKNOWN'],
  ])('of %s has the brand %s', (number, brand) => {
    expect(face(number)).toEqual({ bin: number.slice(0, 6), lastFour: number.slice(-4), brand, expiryMonth: 1, expiryYear: 2030 });
  });

  it('hides at least four digits, even of the shortest number', () => {
    expect(face('123456782')).toMatchObject({ bin: '1', lastFour: '6782' });
    fc.assert(
      fc.property(fc.stringMatching(/^\d{9,19}$/), (number) => {
        const { bin, lastFour } = face(number);
        expect(number.length - bin.length - lastFour.length).toBeGreaterThanOrEqual(4);
        expect(number.startsWith(bin) && number.endsWith(lastFour)).toBe(true);
      }),
    );
  });
});
