import { isControlKey, KEY_OF_NOBODY } from './control-key';

describe('control key (protocol decisions, section 5; safety, T3)', () => {
  it.each(['B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'b17f59b4a7dc41b48ff937d986b43d20', 'a'.repeat(64)])('takes %s', (key) =>
    expect(isControlKey(key)).toBe(true),
  );

  it.each(['', '-', 'zz'.repeat(16), 'a'.repeat(30), 'a'.repeat(33), ` ${'a'.repeat(32)}`, `${'a'.repeat(32)}\n`, `0x${'a'.repeat(32)}`])(
    'refuses %j',
    (key) => expect(isControlKey(key)).toBe(false),
  );

  it('has a key for unknown logins that a merchant could have, and that nothing prints', () => {
    expect(isControlKey(KEY_OF_NOBODY.reveal())).toBe(true);
    expect(JSON.stringify({ key: KEY_OF_NOBODY })).toBe('{"key":"[redacted]"}');
  });
});
