import { parseAmount, parseUrl, present, resultCode, type Instant, type Money } from '@app/kernel';
import { type AnswerFields, readUpstreamDate } from '../wire/answer-fields';
import type {
  AcquirerReferences,
  Approved,
  Declined,
  Loyalty,
  NotAsked,
  PayerAuthentication,
  PayerNeeded,
  PayerPage,
  Unknown,
} from '../../contract';

export const REFUSAL_MEANINGS = ['declined', 'not-accepted', 'not-found', 'unknown'] as const;
type RefusalMeaning = (typeof REFUSAL_MEANINGS)[number];

/** The interface lists no codes, so the gate's settings give their meanings (protocol decisions, section 12). */
export type RefusalCodes = Readonly<Record<string, RefusalMeaning>>;

export const meaningOf = (fields: AnswerFields, codes: RefusalCodes): RefusalMeaning | undefined => {
  const code = fields.get('error-code') ?? '';
  return Object.hasOwn(codes, code) ? codes[code] : undefined;
};

export interface Expected {
  readonly clientOrderId: string;
  readonly gateOrderId: string | undefined;
  readonly amount: Money | undefined;
  readonly codes: RefusalCodes;
  readonly followUp?: { readonly serial: string; readonly types: readonly string[] };
}

export interface Undecided {
  readonly kind: 'undecided';
  readonly gateOrderId: string | undefined;
}

type FollowUpOutcome = Approved | Declined | NotAsked | Undecided | { readonly kind: 'not-found' } | Unknown;

export type StatusOutcome = FollowUpOutcome | PayerNeeded;

const PAYER_AUTHENTICATIONS: ReadonlySet<string> = new Set<PayerAuthentication>([
  'AUTHENTICATED',
  'NOT_AUTHENTICATED',
  'UNSUPPORTED',
  'UNKNOWN',
]);
const REFERENCE = /^[\x20-\x7e]{1,128}$/;
const CODE = /^\d{1,6}$/;

const WEB: ReadonlySet<string> = new Set(['http:', 'https:']);
const ADDRESS_CHARACTERS_MAX = 2_048;
const PAGE_CHARACTERS_MAX = 65_536;

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };

const refusalOutcome = (fields: AnswerFields, expected: Expected, seenAt: Instant): FollowUpOutcome => {
  switch (meaningOf(fields, expected.codes)) {
    case 'not-found':
      return { kind: 'not-found' };
    case 'declined':
      return declined(fields, expected, seenAt);
    // It may be the inquiry that was not accepted: some gateways use one code for rate limits and for refused payments.
    case 'not-accepted':
    case 'unknown':
      return UNDECIDED;
    case undefined:
      return fields.get('type') === 'error' ? UNDECIDED : UNRECOGNISED;
  }
};

/** An answer about another order or another sum decides nothing. */
const isAbout = (fields: AnswerFields, { clientOrderId, gateOrderId, followUp }: Expected): boolean => {
  if (fields.get('merchant-order-id') !== clientOrderId) return false;
  if (gateOrderId !== undefined && fields.get('paynet-order-id') !== gateOrderId) return false;
  if (followUp === undefined) return true;
  return fields.get('by-request-sn') === followUp.serial && followUp.types.includes(fields.get('transaction-type') ?? '');
};

const isSum = (fields: AnswerFields, { amount }: Expected): boolean => {
  if (amount === undefined) return true;
  const minor = parseAmount(fields.get('amount') ?? '');
  return minor === amount.minor && fields.get('currency') === amount.currency;
};

const reference = (value: string | undefined): string | undefined => (value !== undefined && REFERENCE.test(value) ? value : undefined);

const loyaltyOf = (fields: AnswerFields): Loyalty | undefined => {
  const loyalty = present({
    balance: fields.get('loyalty-balance'),
    message: fields.get('loyalty-message'),
    bonus: fields.get('loyalty-bonus'),
    program: fields.get('loyalty-program'),
  });
  return Object.keys(loyalty).length === 0 ? undefined : loyalty;
};

/** Falls back to our order id, so that operators always have a reference. */
type Named = Pick<Expected, 'clientOrderId' | 'gateOrderId'>;

const referencesOf = (fields: AnswerFields, named: Named, seenAt: Instant): AcquirerReferences => {
  const gateOrderId = reference(fields.get('paynet-order-id')) ?? named.gateOrderId;
  const authentication = fields.get('verified-3d-status');
  return {
    transactionId: reference(fields.get('processor-tx-id')) ?? gateOrderId ?? named.clientOrderId,
    processedAt: readUpstreamDate(fields.get('transaction-date')) ?? readUpstreamDate(fields.get('paynet-processing-date')) ?? seenAt,
    ...present({
      rrn: reference(fields.get('processor-rrn')),
      terminalId: reference(fields.get('terminal-id')),
      payerAuthentication:
        authentication !== undefined && PAYER_AUTHENTICATIONS.has(authentication) ? (authentication as PayerAuthentication) : undefined,
      eci: reference(fields.get('eci')),
      gateOrderId,
      loyalty: loyaltyOf(fields),
    }),
  };
};

/** The withheld commission of a transfer, if the upstream gateway shows it to the merchant (interface, section 2.5). */
const commissionOf = (fields: AnswerFields, { amount }: Expected): Money | undefined => {
  if (amount === undefined || fields.get('transaction-type') !== 'transfer') return undefined;
  const minor = parseAmount(fields.get('seller-commission') ?? '');
  return minor === undefined ? undefined : { minor, currency: amount.currency };
};

/** The address is preferred: that page runs at the upstream gateway's site. */
const payerPageOf = (fields: AnswerFields): PayerPage | undefined => {
  const address = fields.get('redirect-to') ?? '';
  const url = address.length <= ADDRESS_CHARACTERS_MAX ? parseUrl(address) : undefined;
  if (url !== undefined && WEB.has(url.protocol) && url.username === '' && url.password === '') return { address };
  const html = fields.get('html');
  return html === undefined || html.length > PAGE_CHARACTERS_MAX ? undefined : { html };
};

const codeOf = (fields: AnswerFields): number => {
  const code = fields.get('error-code');
  return code !== undefined && CODE.test(code) ? Number(code) : resultCode('do-not-honour');
};

export const declined = (fields: AnswerFields, named: Named, seenAt: Instant): Declined => ({
  kind: 'declined',
  code: codeOf(fields),
  ...present({ advice: fields.get('motivational-message') }),
  ...referencesOf(fields, named, seenAt),
});

/**
 * Reads a status without payer authentication (interface, section 2.5). An unknown status is not final (protocol decisions, section 2);
 * another order or sum is not recognised.
 * @param fields undefined for a body that is not an answer of the interface
 * @param seenAt the time of the outcome if the answer has none
 */
export const readFollowUpStatus = (fields: AnswerFields | undefined, expected: Expected, seenAt: Instant): FollowUpOutcome => {
  const type = fields?.get('type');
  if (fields === undefined) return UNRECOGNISED;
  if (type === 'validation-error' || type === 'error') return refusalOutcome(fields, expected, seenAt);
  if (!isAbout(fields, expected)) return UNRECOGNISED;
  switch (fields.get('status')) {
    case 'approved':
      if (!isSum(fields, expected)) return UNRECOGNISED;
      return {
        kind: 'approved',
        ...referencesOf(fields, expected, seenAt),
        ...present({ approvalCode: reference(fields.get('approval-code')), commission: commissionOf(fields, expected) }),
      };
    case 'declined':
    case 'filtered':
      return declined(fields, expected, seenAt);
    case 'error':
      if (meaningOf(fields, expected.codes) === 'not-accepted') return { kind: 'not-asked', cause: 'unavailable' };
      return declined(fields, expected, seenAt);
    case undefined:
    default:
      return { kind: 'undecided', gateOrderId: reference(fields.get('paynet-order-id')) };
  }
};

export const readStatus = (fields: AnswerFields | undefined, expected: Expected, seenAt: Instant): StatusOutcome => {
  const outcome = readFollowUpStatus(fields, expected, seenAt);
  const page = outcome.kind === 'undecided' && fields !== undefined ? payerPageOf(fields) : undefined;
  if (page === undefined || outcome.kind !== 'undecided') return outcome;
  const transactionId = reference(fields?.get('processor-tx-id')) ?? outcome.gateOrderId ?? expected.clientOrderId;
  return { kind: 'payer-needed', page, transactionId, isHosted: true };
};
