import type { NonEmpty } from '@app/kernel';
import { formBytesMax } from './forms/media-types';
import {
  AccountVerificationRequest,
  CaptureRequest,
  CreateCardRefRequest,
  CreateCardRefV4Request,
  GetCardInfoRequest,
  MakeRebillSaleRequest,
  OrderStatusRequest,
  OrderStatusV4Request,
  ReturnRequest,
  SaleRequest,
  VoidRequest,
} from './messages';

/** The texts that a checksum of Group A is made of (interface, section 5.1; protocol decisions, section 5). */
export type SignedText =
  /** Entry point, client_orderid, amount, email. */
  | 'initial-payment'
  /** Entry point, client_orderid, email. */
  | 'account-verification'
  /** Entry point, login, client_orderid, cardrefid, amount, currency; or without the entry point. */
  | 'rebill'
  /** Login, client_orderid, orderid, and behind them amount and currency where an amount is sent. */
  | 'follow-up'
  /** As a follow-up, or with the order's own amount and currency where none is sent. */
  | 'capture'
  /** Login, client_orderid, orderid. */
  | 'order'
  /** Login, cardrefid. */
  | 'card';

/** How a request proves who sent it: by a checksum under the merchant's control key, or by a signature of the whole in the Authorization header. */
export type GroupAProof = { readonly kind: 'control'; readonly text: SignedText; readonly hasLogin: boolean } | { readonly kind: 'oauth' };

/** What an accepted request is answered with; each has its table of fields. */
export type GroupAAnswerKind = 'async' | 'card-ref' | 'card-ref-v4' | 'card-info' | 'status';

/** One operation of Group A (interface, sections 4.1 and 5; protocol decisions, section 1). */
export interface GroupAOperationRow<Message extends object = object> {
  /** As in its path, in an entry point's `operations`, in metrics and in the digests of what was ordered. */
  readonly name: string;
  /** Version and operation, below `<prefix>/api/`; each is asked by endpoint (`/<id>`) and by group (`/group/<id>`). The alias stands last. */
  readonly paths: NonEmpty<`v${2 | 4}/${string}`>;
  readonly message: new () => Message;
  readonly proof: GroupAProof;
  /** Whether the request has an amount, which is read before its signature is. */
  readonly amount: 'none' | 'required' | 'optional';
  /** It changes something, and so honours an Idempotency-Key (protocol decisions, section 10). */
  readonly isKeyed: boolean;
  /** A larger body is answered with 413. */
  readonly formBytesMax: number;
  readonly answer: GroupAAnswerKind;
  /** One line, for documents. */
  readonly summary: string;
}

const OAUTH: GroupAProof = { kind: 'oauth' };
/** Initial payments name the merchant by the entry point alone. */
const paymentSigned = (text: SignedText): GroupAProof => ({ kind: 'control', text, hasLogin: false });
const loginSigned = (text: SignedText): GroupAProof => ({ kind: 'control', text, hasLogin: true });

const row = <const Name extends string, const Paths extends NonEmpty<`v${2 | 4}/${string}`>, Message extends object>(
  given: Omit<GroupAOperationRow<Message>, 'name' | 'paths' | 'formBytesMax'> & { readonly name: Name; readonly paths: Paths },
): GroupAOperationRow<Message> & { readonly name: Name; readonly paths: Paths } => ({
  ...given,
  formBytesMax: formBytesMax(given.message),
});

/**
 * Every operation of Group A: controllers, documents, `orch sign` and the tests over all operations read this table, and a table of theirs that has no
 * row for one of them does not compile.
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
    summary: 'Card registration, to charge the card and to send money to it',
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
/** A row of the table, by its key. */
export type GroupAOperationKey = keyof Rows;
export type GroupAOperationName = Rows[GroupAOperationKey]['name'];
export type GroupAMessage<Key extends GroupAOperationKey> = InstanceType<Rows[Key]['message']>;

export const GROUP_A_KEYS = Object.keys(GROUP_A_OPERATIONS) as unknown as NonEmpty<GroupAOperationKey>;

/** Every path of Group A below `<prefix>/api/`, with the operation that it leads to. All take POST. */
export const GROUP_A_PATHS: ReadonlyMap<string, GroupAOperationKey> = new Map(
  GROUP_A_KEYS.flatMap((key) => GROUP_A_OPERATIONS[key].paths.map((path) => [path, key] as const)),
);
