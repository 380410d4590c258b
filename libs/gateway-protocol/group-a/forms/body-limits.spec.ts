import 'reflect-metadata';
import { FORM_BYTES_MAX, formBytesMax, SHORT_FORM_BYTES_MAX } from './body-limits';
import { DEVICE_BODY_BYTES_MAX, SHORT_DEVICE_BODY_BYTES_MAX } from '../../group-b/device-limits';
import { sampleOf } from '../../testing';
import { encodeForm } from './form-codec';
import { formSchema } from '../../message-schema';
import * as messages from '../messages';
import { GROUP_A_OPERATIONS } from '../operations';

const { CaptureRequest, CreateCardRefRequest, CreateCardRefV4Request, GetCardInfoRequest, OrderStatusRequest, OrderStatusV4Request } =
  messages;
const { ReturnRequest, VoidRequest, SaleRequest, AccountVerificationRequest, MakeRebillSaleRequest } = messages;

/** A character that takes four bytes of UTF-8, which is twelve where each is escaped. */
const LONGEST = '\u{1f4b3}';
/** Of a field whose rule is a pattern: none of these is longer. */
const PATTERN_LENGTH_MAX = 16;
/** A session's texts, in a JSON text where each half of a pair is escaped. */
const SESSION_LENGTH_MAX = 128 + 36;

const SHORT = [
  CaptureRequest,
  ReturnRequest,
  VoidRequest,
  CreateCardRefRequest,
  CreateCardRefV4Request,
  GetCardInfoRequest,
  OrderStatusRequest,
  OrderStatusV4Request,
];
const LONG = [SaleRequest, AccountVerificationRequest, MakeRebillSaleRequest];

describe('how large a body may be', () => {
  it.each(SHORT)('$name: 8 KiB, which the longest of all fields fit into', (Message) => {
    const { properties = {} } = formSchema(Message);
    const longest = encodeForm(
      Object.entries(properties).map(([name, { maxLength = PATTERN_LENGTH_MAX }]) => [name, LONGEST.repeat(maxLength)]),
    );
    expect(longest.length).toBeLessThan(SHORT_FORM_BYTES_MAX);
    expect(formBytesMax(Message)).toBe(SHORT_FORM_BYTES_MAX);
  });

  it('is said below of every message of Group A', () => {
    const said: readonly unknown[] = [...SHORT, ...LONG];
    const messages = Object.values(GROUP_A_OPERATIONS).map(({ message }) => message);
    expect(messages.filter((message) => !said.includes(message)).map(({ name }) => name)).toStrictEqual([]);
  });

  it.each(LONG)('$name: 1 MiB, for its texts of 64 KiB', (Message) => {
    expect(formBytesMax(Message)).toBe(FORM_BYTES_MAX);
  });

  it('a device asks and chooses in 8 KiB, and orders in 256', () => {
    const asked = JSON.stringify(sampleOf('SessionRequest')).length + SESSION_LENGTH_MAX * '\\ud83d\\udcb3'.length;
    expect(asked).toBeLessThan(SHORT_DEVICE_BODY_BYTES_MAX);
    expect(DEVICE_BODY_BYTES_MAX).toBe(262_144);
  });
});
