import type { NotAsked, Unknown } from '@app/gateway-adapters/contract';
import { REFUSALS } from '@app/gateway-protocol';
import type { AnswerFields } from '../wire/answer-fields';

/** The upstream gateway took the request; what becomes of it, its status tells. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly gateOrderId: string;
  /** The serial of this request, by which a follow-up is asked about. */
  readonly serial: string | undefined;
}

/** The refusal after which nobody knows whether an order of this key exists there: it does, under other parameters. */
const CODE_REUSED = String(REFUSALS['client-orderid-reused'].code);
const CODE_UNAVAILABLE = String(REFUSALS['temporarily-unavailable'].code);

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/**
 * The answer to a request that changes something (interface, sections 2.4 and 7.1). Only a refusal that says that nothing was accepted is a no; whatever
 * else is not the acceptance of this very order is unknown.
 * @param fields undefined for a body that is no answer of the interface
 */
export const readSubmission = (fields: AnswerFields | undefined, clientOrderId: string): Accepted | NotAsked | Unknown => {
  switch (fields?.get('type')) {
    case 'async-response': {
      const gateOrderId = fields.get('paynet-order-id');
      if (gateOrderId === undefined || fields.get('merchant-order-id') !== clientOrderId) return UNRECOGNISED;
      return { kind: 'accepted', gateOrderId, serial: fields.get('serial-number') };
    }
    case 'validation-error':
      if (fields.get('error-code') === CODE_REUSED) return { kind: 'unknown', cause: 'gate-undecided' };
      return { kind: 'not-asked', cause: 'refused-by-gate' };
    case 'error':
      if (fields.get('error-code') === CODE_UNAVAILABLE) return { kind: 'not-asked', cause: 'unavailable' };
      return { kind: 'unknown', cause: 'gate-undecided' };
    case undefined:
    default:
      return UNRECOGNISED;
  }
};
