import type { Instant } from '@app/kernel';
import type { VerifyRequest, Declined, NotAsked, Unknown } from '../../contract';
import type { InitialFields } from '../wire/operations';
import type { AnswerFields } from '../wire/answer-fields';
import { meaningOf, type RefusalCodes, declined } from './status';

/**
 * The fields of a charge (protocol decisions, section 10). client_orderid is the attempt's key: it is accepted once and identifies the
 * order if the answer is lost.
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
      // Only this callback also reports later changes to the order.
      ['notify_url', notificationUrl],
    ],
  };
};

export interface Accepted {
  readonly kind: 'accepted';
  readonly gateOrderId: string;
  readonly serial: string | undefined;
}

interface Submitted {
  readonly clientOrderId: string;
  readonly codes: RefusalCodes;
  readonly seenAt: Instant;
}

const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** Without an entry in the table, `validation-error` means not accepted and `error` is undecided. */
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
 * The answer to the first submission (interface, sections 2.4 and 7.1). `unknown` unless it refuses or accepts exactly this order.
 * @param fields undefined for a body that is not an answer of the interface
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
