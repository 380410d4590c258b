import * as fc from 'fast-check';
import { readIdempotencyKey } from './idempotency-key';

describe('Idempotency-Key (protocol decisions, section 10)', () => {
  it.each([
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['x', 'x'],
    ['"x"', 'x'],
    [String.raw`"a \"quoted\" \\ key"`, String.raw`a "quoted" \ key`],
    [String.raw`a "bare" \ key`, String.raw`a "bare" \ key`],
    ['a, b', 'a, b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('is read from %j as the key %j [W511]', (sent, key) => expect(readIdempotencyKey([sent])).toStrictEqual({ ok: key }));

  it.each([
    ['no characters', ['']],
    ['no characters in quotes', ['""']],
    ['256 characters', ['k'.repeat(256)]],
    ['256 characters in quotes', [`"${'k'.repeat(256)}"`]],
    ['an unclosed quote', ['"abc']],
    ['a quote within quotes', ['"a"b"']],
    ['a backslash before an ordinary character', [String.raw`"a\b"`]],
    ['a backslash at the end', [String.raw`"a\"`]],
    ['parameters after the string', ['"a";b=1']],
    ['a letter that is not ASCII', ['schlüssel']],
    ['a tab', ['a\tb']],
    ['two headers', ['a', 'a']],
    ['no header', []],
  ])('is refused with %s, and with a message that names the header [W511]', (_what, sent) => {
    expect(readIdempotencyKey(sent)).toMatchObject({
      refused: { field: 'Idempotency-Key', message: expect.stringMatching(/^Idempotency-Key must/) as string },
    });
  });

  it('is the same key with and without quotes', () => {
    const keys = fc.stringMatching(/^[!#-~][ -~]{0,254}$/);
    fc.assert(
      fc.property(keys, (key) => {
        const quoted = `"${key.replace(/["\\]/g, (found) => `\\${found}`)}"`;
        expect(readIdempotencyKey([quoted])).toStrictEqual({ ok: key });
        expect(readIdempotencyKey([key])).toStrictEqual({ ok: key });
      }),
    );
  });
});
