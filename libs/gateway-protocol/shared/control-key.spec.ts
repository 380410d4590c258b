import { Secret } from '@app/kernel';
import { controlKeyBytes, decoyControlKey, isControlKey } from './control-key';

describe('control key (protocol decisions, section 5; safety, T3) [W311]', () => {
  it.each(['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'b17f59b4a7dc41b48ff937d986b43d20', 'a'.repeat(64)])('takes %s', (key) =>
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
  ])('refuses %j', (key) => expect(isControlKey(key)).toBe(false));

  it.each(['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'ab'.repeat(16), 'AB'.repeat(128), '--ab'.repeat(32)])(
    'has a key for strangers of the size and shape of %s, another each time, that nothing prints',
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
