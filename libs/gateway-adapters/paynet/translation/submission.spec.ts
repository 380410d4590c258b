import type { Instant } from '@app/kernel';
import { readAnswer } from '../wire/answer-fields';
import type { RefusalCodes } from './status';
import { readSubmission } from './submission';

const KEY = '6f1e8a60-0000-4000-8000-000000000001';
const SEEN_AT = 1_704_067_200_000 as Instant;
const read = (body: string, codes: RefusalCodes = {}) => readSubmission(readAnswer(body), { clientOrderId: KEY, codes, seenAt: SEEN_AT });

describe('readSubmission', () => {
  it('returns accepted with the gate’s order id and the request’s serial number', () => {
    expect(read(`type=async-response\n&serial-number=00-1\n&merchant-order-id=${KEY}\n&paynet-order-id=1000000007\n`)).toEqual({
      kind: 'accepted',
      gateOrderId: '1000000007',
      serial: '00-1',
    });
  });

  it.each([
    ['a field is wrong', '1'],
    ['the checksum is wrong', '2'],
    ['the currency is not served', '8'],
    ['an unknown code', '12345'],
    ['a code that here means something else', '7'],
  ])('returns a refusal for a validation error: %s', (_, code) => {
    expect(read(`type=validation-error&error-message=no&error-code=${code}`)).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
  });

  it('returns a refusal for a validation error without a code', () => {
    expect(read('type=validation-error')).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
  });

  it.each([
    ['type=error&error-code=20', { '20': 'not-accepted' }, { kind: 'not-asked', cause: 'unavailable' }],
    ['type=validation-error&error-code=20', { '20': 'not-accepted' }, { kind: 'not-asked', cause: 'refused-by-gate' }],
    ['type=validation-error&error-code=7', { '7': 'unknown' }, { kind: 'unknown', cause: 'gate-undecided' }],
    ['type=validation-error&error-code=7', { '7': 'not-found' }, { kind: 'unknown', cause: 'gate-undecided' }],
  ] as const)('maps an error by the gate’s code table: %s by %j [W509]', (body, codes, expected) => {
    expect(read(body, codes)).toEqual(expected);
  });

  it.each(['validation-error', 'error'])('returns a decline if the gate’s code table maps the code to declined: %s', (type) => {
    expect(read(`type=${type}&error-code=2`, { '2': 'declined' })).toEqual({
      kind: 'declined',
      code: 2,
      transactionId: KEY,
      processedAt: SEEN_AT,
    });
  });

  it('does not treat the name of an inherited property as a table entry', () => {
    expect(read('type=validation-error&error-code=constructor')).toEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
  });

  it.each([
    ['code 20', 'type=error&error-code=20'],
    ['code 21', 'type=error&error-code=21'],
    ['an internal error', 'type=error&error-code=99'],
    ['an error with an unknown code', 'type=error&error-code=4711'],
    ['an error without a code', 'type=error'],
  ])('returns unknown if the acceptance is uncertain: %s', (_, body) => {
    expect(read(body)).toEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it.each([
    ['an empty body', ''],
    ['a page of a proxy', '<html><title>502 Bad Gateway</title></html>'],
    ['another order’s answer', 'type=async-response&merchant-order-id=other&paynet-order-id=1000000007'],
    ['an acceptance without a name of the order', `type=async-response&merchant-order-id=${KEY}`],
    ['an acceptance without our order id', 'type=async-response&paynet-order-id=1000000007'],
    ['an unknown type', `type=sale-response&merchant-order-id=${KEY}&paynet-order-id=1`],
  ])('does not recognise %s', (_, body) => {
    expect(read(body)).toEqual({ kind: 'unknown', cause: 'unrecognised-answer' });
  });
});
