import * as fc from 'fast-check';
import { Secret } from '@app/kernel';
import { codePoint } from '@app/testing/any-text';
import { controlKeyBytes, decoyControlKey, isControlKey, isSameHex, isSameSecret } from './control-key';

describe('control key (protocol decisions, section 5; safety, T3) [W311]', () => {
  it.each(['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'b17f59b4a7dc41b48ff937d986b43d20', 'a'.repeat(64)])('is valid: %s', (key) =>
    expect(isControlKey(key)).toBe(true),
  );

  it.each([
    '',
    '-',
    'zz'.repeat(16),
    'a'.repeat(30),
    'a'.repeat(33),
    ` ${'a'.repeat(32)}`,
    `${'a'.repeat(32)}\n`,
    `0x${'a'.repeat(32)}`,
    `${'a'.repeat(32)}zz`,
  ])('is invalid: %j', (key) => expect(isControlKey(key)).toBe(false));

  it.each(['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'ab'.repeat(16), 'AB'.repeat(128), '--ab'.repeat(32)])(
    'has random decoys of the size and shape of %s that are redacted when printed',
    (text) => {
      const like = new Secret(text);
      const made = [decoyControlKey(like), decoyControlKey(like)];
      for (const key of made) {
        expect(isControlKey(key.reveal())).toBe(true);
        expect(key.reveal().replace(/[^-]/g, 'x')).toBe(text.replace(/[^-]/g, 'x'));
        expect(controlKeyBytes(key)).toHaveLength(controlKeyBytes(like).length);
        expect(JSON.stringify({ key })).toBe('{"key":"[redacted]"}');
      }
      expect(new Set([text, ...made.map((key) => key.reveal())]).size).toBe(3);
    },
  );
});

describe('comparing secrets (safety, T2) [W312]', () => {
  it('returns true only for equal texts of any length', () => {
    const text = fc.string({ unit: codePoint, maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(isSameSecret(a, b)).toBe(a === b);
        expect(isSameSecret(a, a)).toBe(true);
      }),
    );
    expect(isSameSecret('a', '')).toBe(false);
    expect(isSameSecret('a', 'a\0')).toBe(false);
    expect(isSameSecret('ab', 'AB')).toBe(false);
  });

  it.each([170, 171, 512, 4_096])('distinguishes texts of %d characters that differ only in the last', (length) => {
    for (const unit of ['a', '\u20ac']) {
      const text = unit.repeat(length);
      expect(isSameSecret(text, text)).toBe(true);
      expect(isSameSecret(text, `${text.slice(1)}b`)).toBe(false);
      expect(isSameSecret(text, text + unit)).toBe(false);
      expect(isSameSecret(text, unit)).toBe(false);
    }
  });

  it('ignores the case of hexadecimal text', () => {
    expect(isSameHex('DD5F19', 'dd5f19')).toBe(true);
    expect(isSameHex('DD5F19', 'dd5f18')).toBe(false);
  });
});
