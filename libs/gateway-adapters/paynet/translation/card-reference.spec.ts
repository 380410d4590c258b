import { readAnswer } from '../wire/answer-fields';
import type { RefusalCodes } from './status';
import { readCardInfo, readCardReference } from '../upstream-cards';

const CARD = { bin: '444433', lastFour: '1111' };
const CODES: RefusalCodes = { '2': 'unknown', '3': 'not-found', '5': 'not-accepted', '10': 'not-accepted' };
const UNRECOGNISED = { kind: 'unknown', cause: 'unrecognised-answer' };
const UNDECIDED = { kind: 'unknown', cause: 'gate-undecided' };
const REFUSED = { kind: 'refused', cause: 'refused-by-gate' };
const OTHER_CARD = { kind: 'refused', cause: 'other-card' };
const registered = (body: string) => readCardReference(readAnswer(body), CODES);
const shown = (body: string) => readCardInfo(readAnswer(body), { cardToken: '1402817', card: CARD, codes: CODES });

describe('an answer to create-card-ref', () => {
  it.each([
    [
      'version 2',
      'type=create-card-ref-response\n&status=approved\n&card-ref-id=1402817\n&unq-card-ref-id=9\n&serial-number=00-1\n&end-point-id=1\n',
    ],
    [
      'version 4 as described',
      'type=create-card-ref-response&status=approved&card_recurring_payment_id=1402817&destination_card_recurring_payment_id=5',
    ],
    [
      'version 4 as its example has it',
      'type=create-card-ref-response\n&recurring-payment-id=1402817\n&status=approved\n&dst-card-ref-id=5\n',
    ],
    [
      'all names at once',
      'type=create-card-ref-response&status=approved&recurring-payment-id=8&card-ref-id=1402817&card_recurring_payment_id=7',
    ],
    ['JSON with a number', '{"type":"create-card-ref-response","status":"approved","card-ref-id":1402817}'],
  ])('returns the reference: %s', (_, body) => {
    expect(registered(body)).toEqual({ kind: 'registered', cardToken: '1402817' });
  });

  it('returns a reference that contains letters', () => {
    expect(registered('type=create-card-ref-response&status=approved&card-ref-id=c0ffee-AB')).toMatchObject({ cardToken: 'c0ffee-AB' });
  });

  it.each([
    ['an order that was declined', 'type=create-card-ref-response&status=declined&error-code=116'],
    ['an order that failed', 'type=create-card-ref-response&status=error&error-code=121&card-ref-id=1402817'],
    ['a status that is not known', 'type=create-card-ref-response&status=weird&card-ref-id=1402817'],
    ['an operation that is not offered', 'type=validation-error&error-code=10'],
    ['an order that is not known there', 'type=validation-error\n&error-message=Order+not+found\n&error-code=3\n'],
  ])('is a final refusal: %s', (_, body) => {
    expect(registered(body)).toEqual(REFUSED);
  });

  it.each([
    ['a code without an entry in the gate’s table', 'type=validation-error&error-code=4'],
    ['a checksum that does not fit', 'type=validation-error&error-message=INVALID_CONTROL_CODE&error-code=2'],
    ['an error', 'type=error&error-code=20'],
    ['an error without a code', 'type=error'],
  ])('is undecided, so the request is repeated: %s', (_, body) => {
    expect(registered(body)).toEqual(UNDECIDED);
  });

  it.each([
    ['nothing', ''],
    ['the page of a 403', '<html><body>Access is denied</body></html>'],
    ['another type', 'type=status-response&status=approved&card-ref-id=1'],
    ['no reference', 'type=create-card-ref-response&status=approved'],
    ['a reference with a space', 'type=create-card-ref-response&status=approved&card-ref-id=1+2'],
    ['a reference that is too long', `type=create-card-ref-response&status=approved&card-ref-id=${'1'.repeat(129)}`],
    [
      'a number that is no longer the one sent',
      '{"type":"create-card-ref-response","status":"approved","card-ref-id":12345678901234567890}',
    ],
  ])('is not recognised: %s', (_, body) => {
    expect(registered(body)).toEqual(UNRECOGNISED);
  });
});

describe('an answer to get-card-info', () => {
  it.each([
    'type=get-card-info-response\n&bin=444433\n&last-four-digits=1111\n&expire-year=2030\n',
    'type=get-card-info-response&bin=44443333&last-four-digits=1111',
    '{"type":"get-card-info-response","bin":444433,"last-four-digits":"1111"}',
  ])('confirms the reference if it shows the same card: %s', (body) => {
    expect(shown(body)).toEqual({ kind: 'registered', cardToken: '1402817' });
  });

  it.each([
    ['other last digits', 'type=get-card-info-response&bin=444433&last-four-digits=1112'],
    ['another range', 'type=get-card-info-response&bin=444434&last-four-digits=1111'],
    ['too little of the range', 'type=get-card-info-response&bin=4444&last-four-digits=1111'],
    ['nothing of the card', 'type=get-card-info-response'],
  ])('refuses a reference if it shows %s', (_, body) => {
    expect(shown(body)).toEqual(OTHER_CARD);
  });

  it('reads errors and unrecognised bodies like create-card-ref', () => {
    expect(shown('type=validation-error&error-code=5')).toEqual(REFUSED);
    expect(shown('type=validation-error&error-code=2')).toEqual(UNDECIDED);
    expect(shown('type=error')).toEqual(UNDECIDED);
    expect(shown('type=other')).toEqual(UNRECOGNISED);
    expect(shown('<html></html>')).toEqual(UNRECOGNISED);
  });
});
