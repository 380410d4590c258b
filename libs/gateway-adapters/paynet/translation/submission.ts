import type { Instant } from '@app/kernel';
import type { Declined, NotAsked, Unknown } from '../../contract';
import type { AnswerFields } from '../wire/answer-fields';
import { meaningOf, type RefusalCodes } from './refusal-codes';
import { declined } from './status';

/** The upstream gateway took the request; what becomes of it, its status tells. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly gateOrderId: string;
  /** The serial of this request, by which a follow-up is asked about. */
  readonly serial: string | undefined;
}

/** A request that changes something, as its answer is read. */
export interface Submitted {
  readonly clientOrderId: string;
  readonly codes: RefusalCodes;
  readonly seenAt: Instant;
}

const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** Without an entry in the table a validation error means that nothing was accepted, and an error means nothing. */
const refusal = (fields: AnswerFields, { clientOrderId, codes, seenAt }: Submitted): Declined | NotAsked | Unknown => {
  const isError = fields.get('type') === 'error';
  switch (meaningOf(fields, codes) ?? (isError ? 'unknown' : 'not-accepted')) {
    case 'declined':
      return declined(fields, { clientOrderId, gateOrderId: undefined }, seenAt);
    case 'not-accepted':
      return { kind: 'not-asked', cause: isError ? 'unavailable' : 'refused-by-gate' };
    case 'not-found':
    case 'unknown':
      return UNDECIDED;
  }
};

/**
 * The answer to the first submit of a request that changes something (interface, sections 2.4 and 7.1). Whatever is neither a refusal nor the acceptance
 * of this very order is unknown.
 * @param fields undefined for a body that is no answer of the interface
 */
export const readSubmission = (fields: AnswerFields | undefined, submitted: Submitted): Accepted | Declined | NotAsked | Unknown => {
  switch (fields?.get('type')) {
    case 'async-response': {
      const gateOrderId = fields.get('paynet-order-id');
      if (gateOrderId === undefined || fields.get('merchant-order-id') !== submitted.clientOrderId) return UNRECOGNISED;
      return { kind: 'accepted', gateOrderId, serial: fields.get('serial-number') };
    }
    case 'validation-error':
    case 'error':
      return refusal(fields, submitted);
    case undefined:
    default:
      return UNRECOGNISED;
  }
};
