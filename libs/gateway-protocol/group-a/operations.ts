import type { NonEmpty } from '@app/kernel';
import { formBytesMax } from './forms/media-types';
import {
  AccountVerificationRequest,
  ASYNC_FIELDS,
  CaptureRequest,
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  CreateCardRefRequest,
  CreateCardRefV4Request,
  GET_CARD_INFO_FIELDS,
  GetCardInfoRequest,
  MakeRebillSaleRequest,
  ORDER_STATUS_FIELDS,
  OrderStatusRequest,
  OrderStatusV4Request,
  ReturnRequest,
  SaleRequest,
  VoidRequest,
} from './messages';

/** What the signed texts of Group A checksums cover, without separators (interface, section 5.1; protocol decisions, section 5). */
export const SIGNED_TEXTS = {
  'initial-payment': 'endpoint or group, client_orderid, amount in minor units, email, control key',
  'account-verification': 'endpoint or group, client_orderid, email, control key',
  rebill:
    'endpoint or group, login, client_orderid, cardrefid, amount in minor units, currency, control key; or the same without the endpoint',
  'follow-up': 'login, client_orderid, orderid, amount in minor units and currency if the request has an amount, control key',
  capture: 'login, client_orderid, orderid, amount in minor units and currency (those of the order if the request has none), control key',
  order: 'login, client_orderid, orderid, control key',
  card: 'login, cardrefid, control key',
} as const;

export type SignedText = keyof typeof SIGNED_TEXTS;

/** The proof of the sender: a checksum under the merchant's control key, or a signature in the Authorization header. */
export type GroupAProof = { readonly kind: 'control'; readonly text: SignedText; readonly hasLogin: boolean } | { readonly kind: 'oauth' };

export const GROUP_A_ANSWERS = {
  async: { type: 'async-response', fields: ASYNC_FIELDS },
  'card-ref': { type: 'create-card-ref-response', fields: CREATE_CARD_REF_FIELDS },
  'card-ref-v4': { type: 'create-card-ref-response', fields: CREATE_CARD_REF_V4_FIELDS },
  'card-info': { type: 'get-card-info-response', fields: GET_CARD_INFO_FIELDS },
  status: { type: 'status-response', fields: ORDER_STATUS_FIELDS },
} as const;

export type GroupAAnswerKind = keyof typeof GROUP_A_ANSWERS;

/** An operation of Group A (interface, sections 4.1 and 5; protocol decisions, section 1). */
export interface GroupAOperationRow<Message extends object = object> {
  /** Used in its path, in `operations` of an entry point, in metrics and in content digests. */
  readonly name: string;
  /** Below `<prefix>/api/`, each by endpoint (`/<id>`) and by group (`/group/<id>`). The alias is last. */
  readonly paths: NonEmpty<`v${2 | 4}/${string}`>;
  readonly message: new () => Message;
  readonly proof: GroupAProof;
  readonly amount: 'none' | 'required' | 'optional';
  /** The operation changes something, so it accepts an Idempotency-Key (protocol decisions, section 10). */
  readonly isKeyed: boolean;
  readonly formBytesMax: number;
  readonly answer: GroupAAnswerKind;
  readonly summary: string;
}

const OAUTH: GroupAProof = { kind: 'oauth' };
const paymentSigned = (text: SignedText): GroupAProof => ({ kind: 'control', text, hasLogin: false });
const loginSigned = (text: SignedText): GroupAProof => ({ kind: 'control', text, hasLogin: true });

const row = <const Name extends string, const Paths extends NonEmpty<`v${2 | 4}/${string}`>, Message extends object>(
  given: Omit<GroupAOperationRow<Message>, 'name' | 'paths' | 'formBytesMax'> & { readonly name: Name; readonly paths: Paths },
): GroupAOperationRow<Message> & { readonly name: Name; readonly paths: Paths } => ({
  ...given,
  formBytesMax: formBytesMax(given.message),
});

/**
 * All operations of Group A. Controllers, documents, `orch sign` and tests read this table, and a missing row in one of
 * theirs does not compile.
 */
export const GROUP_A_OPERATIONS = {
  sale: row({
    name: 'sale',
    paths: ['v2/sale'],
    message: SaleRequest,
    proof: paymentSigned('initial-payment'),
    amount: 'required',
    isKeyed: true,
    answer: 'async',
    summary: 'Sale',
  }),
  preauth: row({
    name: 'preauth',
    paths: ['v2/preauth'],
    message: SaleRequest,
    proof: paymentSigned('initial-payment'),
    amount: 'required',
    isKeyed: true,
    answer: 'async',
    summary: 'Pre-authorisation',
  }),
  accountVerification: row({
    name: 'account-verification',
    paths: ['v2/account-verification'],
    message: AccountVerificationRequest,
    proof: paymentSigned('account-verification'),
    amount: 'none',
    isKeyed: true,
    answer: 'async',
    summary: 'Account verification',
  }),
  makeRebillSale: row({
    name: 'make-rebill-sale',
    paths: ['v2/make-rebill-sale', 'v2/make-rebill'],
    message: MakeRebillSaleRequest,
    proof: loginSigned('rebill'),
    amount: 'required',
    isKeyed: true,
    answer: 'async',
    summary: 'Recurrent payment',
  }),
  makeRebillPreauth: row({
    name: 'make-rebill-preauth',
    paths: ['v2/make-rebill-preauth'],
    message: MakeRebillSaleRequest,
    proof: loginSigned('rebill'),
    amount: 'required',
    isKeyed: true,
    answer: 'async',
    summary: 'Recurrent pre-authorisation',
  }),
  capture: row({
    name: 'capture',
    paths: ['v2/capture'],
    message: CaptureRequest,
    proof: loginSigned('capture'),
    amount: 'optional',
    isKeyed: true,
    answer: 'async',
    summary: 'Capture of a pre-authorisation',
  }),
  return: row({
    name: 'return',
    paths: ['v2/return'],
    message: ReturnRequest,
    proof: loginSigned('follow-up'),
    amount: 'optional',
    isKeyed: true,
    answer: 'async',
    summary: 'Refund',
  }),
  void: row({
    name: 'void',
    paths: ['v2/void'],
    message: VoidRequest,
    proof: loginSigned('order'),
    amount: 'none',
    isKeyed: true,
    answer: 'async',
    summary: 'Void',
  }),
  createCardRef: row({
    name: 'create-card-ref',
    paths: ['v2/create-card-ref'],
    message: CreateCardRefRequest,
    proof: loginSigned('order'),
    amount: 'none',
    isKeyed: false,
    answer: 'card-ref',
    summary: 'Card registration',
  }),
  createCardRefV4: row({
    name: 'create-card-ref',
    paths: ['v4/create-card-ref'],
    message: CreateCardRefV4Request,
    proof: OAUTH,
    amount: 'none',
    isKeyed: false,
    answer: 'card-ref-v4',
    summary: 'Card registration, for charges and for transfers to the card',
  }),
  getCardInfo: row({
    name: 'get-card-info',
    paths: ['v2/get-card-info'],
    message: GetCardInfoRequest,
    proof: loginSigned('card'),
    amount: 'none',
    isKeyed: false,
    answer: 'card-info',
    summary: 'Card details',
  }),
  status: row({
    name: 'status',
    paths: ['v2/status'],
    message: OrderStatusRequest,
    proof: loginSigned('order'),
    amount: 'none',
    isKeyed: false,
    answer: 'status',
    summary: 'Order status',
  }),
  statusV4: row({
    name: 'status',
    paths: ['v4/status'],
    message: OrderStatusV4Request,
    proof: OAUTH,
    amount: 'none',
    isKeyed: false,
    answer: 'status',
    summary: 'Order status, signed by OAuth',
  }),
} as const satisfies Readonly<Record<string, GroupAOperationRow>>;

type Rows = typeof GROUP_A_OPERATIONS;
export type GroupAOperationKey = keyof Rows;
export type GroupAOperationName = Rows[GroupAOperationKey]['name'];
export type GroupAMessage<Key extends GroupAOperationKey> = InstanceType<Rows[Key]['message']>;

export const GROUP_A_KEYS = Object.keys(GROUP_A_OPERATIONS) as unknown as NonEmpty<GroupAOperationKey>;

export const GROUP_A_PATHS: ReadonlyMap<string, GroupAOperationKey> = new Map(
  GROUP_A_KEYS.flatMap((key) => GROUP_A_OPERATIONS[key].paths.map((path) => [path, key] as const)),
);
