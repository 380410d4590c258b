import type { Instant } from '@app/kernel';
import type { VerifyRequest, Declined, NotAsked, Unknown } from '../../contract';
import type { InitialFields } from '../wire/operations';
import type { AnswerFields } from '../wire/answer-fields';
import { meaningOf, type RefusalCodes, declined } from './status';

/**
 * A charge in the words of the interface (protocol decisions, section 10). The upstream gateway knows the order by the attempt's key: it takes one
 * client_orderid once, and by it alone it can be asked when its answer was lost. What the merchant did not say is left out, for the upstream gateway to
 * refuse or to do without.
 */
export const initialFields = (request: VerifyRequest): InitialFields => {
  const { key, orderId, card: secret, cvv, texts, payerReturnUrl, notificationUrl } = request;
  const card = secret.reveal();
  const payer = texts?.payer.reveal() ?? {};
  const purchase = texts?.purchase.reveal() ?? {};
  return {
    clientOrderId: key,
    email: payer.email,
    others: [
      ['order_desc', purchase.description ?? purchase.purpose ?? `Order ${orderId}`],
      ['first_name', payer.firstName],
      ['last_name', payer.lastName],
      ['card_printed_name', card.holder],
      ['credit_card_number', card.number],
      ['expire_month', String(card.expiryMonth).padStart(2, '0')],
      ['expire_year', String(card.expiryYear)],
      ['cvv2', cvv?.reveal()],
      ['address1', payer.address1],
      ['city', payer.city],
      ['zip_code', payer.zipCode],
      ['country', payer.country],
      ['state', payer.state],
      ['phone', payer.phone],
      ['cell_phone', payer.cellPhone],
      ['ipaddress', payer.ipAddress],
      ['ssn', payer.ssn],
      ['birthday', payer.birthday],
      ['site_url', purchase.siteUrl],
      ['purpose', purchase.purpose],
      ['redirect_url', payerReturnUrl],
      ['server_callback_url', notificationUrl],
      // Hears what is done to the order later, which the other one does not.
      ['notify_url', notificationUrl],
    ],
  };
};

/** The upstream gateway took the request; what becomes of it, its status tells. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly gateOrderId: string;
  /** The serial of this request, by which a follow-up is asked about. */
  readonly serial: string | undefined;
}

/** A request that changes something, as its answer is read. */
interface Submitted {
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
