import type {
  RegisterAnswer,
  RegisterRequest,
  Unknown,
  RebillRequest,
  CallLimit,
  CanRebill,
  CanRegisterCards,
  ChargeAnswer,
  NotAsked,
} from '../contract';
import { type AnswerFields, readAnswer } from './wire/answer-fields';
import { meaningOf, type RefusalCodes, type StatusOutcome } from './translation/status';
import { type RebillFields, createCardRef, createCardRefV4, getCardInfo, makeRebill } from './wire/card-references';
import { addressed, lostReply, type InquiredOrder, type CardSettings, type PaynetParts } from './upstream';
import type { UpstreamOrder, UpstreamAccount, UpstreamRequest } from './wire/operations';

type Registered = Exclude<RegisterAnswer, { readonly kind: 'not-asked' }>;

/** Characters that can be stored and signed. */
const REFERENCE = /^[\x21-\x7e]{1,128}$/;
/** Leading digits present in every answer of the family. */
const BIN_DIGITS = 6;

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };
const UNDECIDED: Unknown = { kind: 'unknown', cause: 'gate-undecided' };
const REFUSED: Registered = { kind: 'refused', cause: 'refused-by-gate' };

/** A code without an entry decides nothing: registration is retried until it is given up. */
const refusal = (fields: AnswerFields, codes: RefusalCodes): Registered =>
  (meaningOf(fields, codes) ?? 'unknown') === 'unknown' ? UNDECIDED : REFUSED;

/**
 * The answer to create-card-ref, in either version and either spelling of the v4 fields (interface, section 2.2).
 * @param fields undefined for a body that is not an answer of the interface, such as the page of a 403
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

/** Rejects a reference unless get-card-info shows the expected card. */
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

/** The fields of a recurrent payment (section 2.4), by the upstream gateway's reference; scenario and initiator are passed through. */
const rebillFields = (request: RebillRequest, cardRefId: string): RebillFields => {
  const { key, orderId, amount, cvv, texts, recurrent, notificationUrl } = request;
  const payer = texts?.payer.reveal() ?? {};
  const purchase = texts?.purchase.reveal() ?? {};
  return {
    clientOrderId: key,
    cardRefId,
    amount,
    description: purchase.description ?? purchase.purpose ?? `Order ${orderId}`,
    others: [
      ['cvv2', cvv?.reveal()],
      ['ipaddress', payer.ipAddress],
      ['comment', purchase.comment],
      ['purpose', purchase.purpose],
      ['server_callback_url', notificationUrl],
      ['recurrent_scenario', recurrent?.scenario],
      ['recurrent_initiator', recurrent?.initiator],
    ],
  };
};

interface UpstreamCardsPorts {
  readonly parts: PaynetParts;
  readonly settings: CardSettings;
  statusOf(order: InquiredOrder, limit: CallLimit): Promise<StatusOutcome>;
  pay(request: RebillRequest, limit: CallLimit, make: (account: UpstreamAccount) => UpstreamRequest): Promise<ChargeAnswer>;
}

const UNAVAILABLE: NotAsked = { kind: 'not-asked', cause: 'unavailable' };

export class UpstreamCards implements CanRebill, CanRegisterCards {
  readonly means = ['token'] as const;

  constructor(private readonly ports: UpstreamCardsPorts) {}

  rebill(request: RebillRequest, limit: CallLimit): Promise<ChargeAnswer> {
    const { by } = request;
    if (by.kind !== 'token') return Promise.resolve({ kind: 'not-asked', cause: 'refused-by-gate' });
    const { parts, settings } = this.ports;
    const { rebillControl } = settings;
    return this.ports.pay(request, limit, (account) =>
      makeRebill(account, request.transactionType, rebillFields(addressed(parts, request), by.token), rebillControl),
    );
  }

  /** The answer to create-card-ref does not name the order, so get-card-info must confirm the card first. */
  async register(request: RegisterRequest, limit: CallLimit): Promise<RegisterAnswer> {
    const { account, codes } = this.ports.parts;
    const orderId = request.gateOrderId ?? (await this.#orderId(request, limit));
    if (orderId === undefined) return { kind: 'unknown', cause: 'gate-undecided' };
    const registered = await this.#send(this.#createCardRef({ clientOrderId: request.key, orderId }), limit, (fields) =>
      readCardReference(fields, codes),
    );
    if (registered.kind !== 'registered') return registered;
    const { cardToken } = registered;
    return this.#send(getCardInfo(account, cardToken), limit, (fields) => readCardInfo(fields, { cardToken, card: request.card, codes }));
  }

  async #orderId({ key }: RegisterRequest, limit: CallLimit): Promise<string | undefined> {
    const outcome = await this.ports.statusOf({ key }, limit);
    return 'gateOrderId' in outcome ? outcome.gateOrderId : undefined;
  }

  #createCardRef(order: UpstreamOrder): UpstreamRequest {
    const { account, clock } = this.ports.parts;
    const { v4 } = this.ports.settings;
    if (v4 === undefined) return createCardRef(account, order);
    const { privateKey, baseUrl } = v4;
    return createCardRefV4(account, order, { privateKey, baseUrl, nonce: v4.nonce(), now: clock.now() });
  }

  async #send(
    request: UpstreamRequest,
    limit: CallLimit,
    read: (fields: AnswerFields | undefined) => RegisterAnswer,
  ): Promise<RegisterAnswer> {
    const reply = await this.ports.parts.upstream.send(request, limit);
    if (reply.kind === 'not-sent') return UNAVAILABLE;
    return reply.kind === 'lost' ? lostReply(reply) : read(readAnswer(reply.body));
  }
}
