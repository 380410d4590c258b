import 'reflect-metadata';
import { contentTypeRefusal, FORM_BYTES_MAX, formBytesMax, SHORT_FORM_BYTES_MAX } from './media-types';
import { DEVICE_BODY_BYTES_MAX, SHORT_DEVICE_BODY_BYTES_MAX } from '../../group-b/device-limits';
import { sampleOf } from '../../testing';
import { encodeForm } from './form-codec';
import { formSchema } from '../../message-schema';
import { GROUP_A_OPERATIONS } from '../operations';

describe('content type of a request (protocol decisions, section 3)', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-URLencoded; charset=UTF-8',
    'application/x-www-form-urlencoded;charset="utf-8"',
    'application/x-www-form-urlencoded; boundary=x',
  ])('accepts %s', (contentType) => expect(contentTypeRefusal(contentType)).toBeUndefined());

  it.each([undefined, '', 'application/json', 'multipart/form-data; boundary=x', 'text/plain', 'application/x-www-form-urlencoded2'])(
    'rejects %s',
    (contentType) =>
      expect(contentTypeRefusal(contentType)).toStrictEqual({
        kind: 'malformed',
        reason: 'wrong-content-type',
        message: 'Content-Type must be application/x-www-form-urlencoded',
      }),
  );

  it('names the charset if only the charset is wrong', () =>
    expect(contentTypeRefusal('application/x-www-form-urlencoded; charset=iso-8859-1')).toStrictEqual({
      kind: 'malformed',
      reason: 'wrong-charset',
      message: 'The charset of the Content-Type must be UTF-8: encode the form as UTF-8',
    }));
});

/** Four bytes of UTF-8, twelve when escaped. */
const LONGEST = '\u{1f4b3}';
/** Above the longest value of any pattern rule. */
const PATTERN_LENGTH_MAX = 16;
const SESSION_LENGTH_MAX = 128 + 36;

const MESSAGES = [...new Set(Object.values(GROUP_A_OPERATIONS).map(({ message }) => message))];

describe('maximum body size', () => {
  it.each(MESSAGES)('is 8 KiB for $name if its longest fields fit, otherwise 1 MiB', (Message) => {
    const { properties = {} } = formSchema(Message);
    const longest = encodeForm(
      Object.entries(properties).map(([name, { maxLength = PATTERN_LENGTH_MAX }]) => [name, LONGEST.repeat(maxLength)]),
    );
    expect(formBytesMax(Message)).toBe(longest.length < SHORT_FORM_BYTES_MAX ? SHORT_FORM_BYTES_MAX : FORM_BYTES_MAX);
  });

  it("is 8 KiB for a device's status and fee choice, and 256 KiB for its orders", () => {
    const asked = JSON.stringify(sampleOf('SessionRequest')).length + SESSION_LENGTH_MAX * '\\ud83d\\udcb3'.length;
    expect(asked).toBeLessThan(SHORT_DEVICE_BODY_BYTES_MAX);
    expect(DEVICE_BODY_BYTES_MAX).toBe(262_144);
  });
});
