import type { RegisterAnswer, RegisterRequest, Unknown } from '../../contract';
import type { AnswerFields } from '../wire/answer-fields';
import { meaningOf, type RefusalCodes } from './refusal-codes';

type Registered = Exclude<RegisterAnswer, { readonly kind: 'not-asked' }>;

/** Of a reference that is stored and signed: what could not be either is no reference. */
const REFERENCE = /^[\x21-\x7e]{1,128}$/;
/** Leading digits that every answer of the family shows. */
const BIN_DIGITS = 6;

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const REFUSED: Registered = { kind: 'refused', cause: 'refused-by-gate' };

/** A code without an entry says nothing of a known order: it is asked for again, until the reference is given up. */
const refusal = (fields: AnswerFields, codes: RefusalCodes): Registered =>
  (meaningOf(fields, codes) ?? 'unknown') === 'unknown' ? UNDECIDED : REFUSED;

/**
 * The answer to create-card-ref, of either version and with either naming of the v4 fields (interface, section 2.2).
 * @param fields undefined for a body that is no answer of the interface, such as the page of a 403
 */
export const readCardReference = (fields: AnswerFields | undefined, codes: RefusalCodes): Registered => {
  switch (fields?.get('type')) {
    case 'create-card-ref-response': {
      const cardToken = fields.get('card-ref-id');
      if (fields.get('status') !== 'approved') return REFUSED;
      return cardToken !== undefined && REFERENCE.test(cardToken) ? { kind: 'registered', cardToken } : UNRECOGNISED;
    }
    case 'validation-error':
      return refusal(fields, codes);
    case 'error':
      return UNDECIDED;
    case undefined:
    default:
      return UNRECOGNISED;
  }
};

/** A reference whose card is not the one that we know is of another order, whatever the answer before said; so is one of which nothing is shown. */
export const readCardInfo = (
  fields: AnswerFields | undefined,
  { cardToken, card, codes }: { readonly cardToken: string; readonly card: RegisterRequest['card']; readonly codes: RefusalCodes },
): Registered => {
  switch (fields?.get('type')) {
    case 'get-card-info-response': {
      const bin = fields.get('bin') ?? '';
      const isOfCard = bin.length >= BIN_DIGITS && bin.slice(0, BIN_DIGITS) === card.bin.slice(0, BIN_DIGITS);
      if (!isOfCard || fields.get('last-four-digits') !== card.lastFour) return { kind: 'refused', cause: 'other-card' };
      return { kind: 'registered', cardToken };
    }
    case 'validation-error':
      return refusal(fields, codes);
    case 'error':
      return UNDECIDED;
    case undefined:
    default:
      return UNRECOGNISED;
  }
};
