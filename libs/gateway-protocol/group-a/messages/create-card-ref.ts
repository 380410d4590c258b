import { IsOptional } from 'class-validator';
import { MaxLength, SignedText } from '../../shared/validation/field-decorators';
import { CLIENT_ORDERID_LENGTH_MAX, CONTROL_LENGTH_MAX, GATEWAY_ID_LENGTH_MAX, LOGIN_LENGTH_MAX } from './limits';
import { answerFields, ENTRY_POINT, HEAD, REASON, type AnswerOf } from './answer';

/** Card registration v2 (interface, section 2.2). */
export class CreateCardRefRequest {
  /** Merchant login name. */
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login!: string;

  /** Merchant order id of the first payment. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id of the first payment. */
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid!: string;

  /** SHA-1 checksum. */
  @MaxLength(CONTROL_LENGTH_MAX)
  readonly control!: string;
}

/** Card registration v4: the Authorization header identifies the sender and signs the request (interface, sections 2.2 and 5.2). */
export class CreateCardRefV4Request {
  /** Merchant order id of the first payment. */
  @SignedText(CLIENT_ORDERID_LENGTH_MAX)
  readonly client_orderid!: string;

  /** Gateway order id of the first payment. */
  @SignedText(GATEWAY_ID_LENGTH_MAX)
  readonly orderid!: string;

  /** Not part of the interface; if sent, it must be the consumer key (protocol decisions, section 1). */
  @IsOptional()
  @SignedText(LOGIN_LENGTH_MAX)
  readonly login?: string;
}

/** Interface, section 2.2. */
export const CREATE_CARD_REF_FIELDS = answerFields({
  ...HEAD,
  status: 'Status of the order',
  'card-ref-id': 'Card reference, `cardrefid` in later requests',
  'unq-card-ref-id': 'Unique for each card number of the merchant',
  ...REASON,
  ...ENTRY_POINT,
});

/** Card registration v2; of an order that ended other than approved, its status and reason and no reference (protocol decisions, section 4). */
export type CreateCardRefResponse = AnswerOf<
  (typeof CREATE_CARD_REF_FIELDS)[number],
  { readonly type: 'create-card-ref-response'; readonly 'serial-number': string; readonly status: string; readonly 'end-point-id': string }
>;

/** Interface, section 2.2: the names of its table and those of its example body, for a client may read either (protocol decisions, section 4). */
export const CREATE_CARD_REF_V4_FIELDS = answerFields({
  ...HEAD,
  status: 'Status of the order',
  'card-ref-id': 'Card reference, `cardrefid` in later requests',
  card_recurring_payment_id: 'The same value as `card-ref-id`',
  'recurring-payment-id': 'The same',
  destination_card_recurring_payment_id: 'Reference that can only receive a transfer',
  'dst-card-ref-id': 'The same',
  ...REASON,
  ...ENTRY_POINT,
});

/** Card registration v4: a reference to charge, and one for transfers to the card alone. */
export type CreateCardRefV4Response = AnswerOf<
  (typeof CREATE_CARD_REF_V4_FIELDS)[number],
  { readonly type: 'create-card-ref-response'; readonly 'serial-number': string; readonly status: string; readonly 'end-point-id': string }
>;
