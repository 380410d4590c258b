import type {
  CallLimit,
  CanRebill,
  CanRegisterCards,
  ChargeAnswer,
  NotAsked,
  RebillRequest,
  RegisterAnswer,
  RegisterRequest,
} from '../contract';
import { readCardInfo, readCardReference } from './translation/card-reference';
import { rebillFields } from './translation/rebill-fields';
import type { StatusOutcome } from './translation/status';
import { addressed, lostReply, type AskedOrder, type CardSettings, type PaynetParts } from './upstream';
import { readAnswer, type AnswerFields } from './wire/answer-fields';
import { createCardRef, createCardRefV4, getCardInfo, makeRebill } from './wire/card-references';
import type { UpstreamOrder } from './wire/operations';
import type { UpstreamAccount } from './wire/upstream-account';
import type { UpstreamRequest } from './wire/upstream-request';

export interface UpstreamCardsPorts {
  readonly parts: PaynetParts;
  readonly settings: CardSettings;
  statusOf(order: AskedOrder, limit: CallLimit): Promise<StatusOutcome>;
  /** Sends a payment, and asks for its status until it is final. */
  pay(request: RebillRequest, limit: CallLimit, make: (account: UpstreamAccount) => UpstreamRequest): Promise<ChargeAnswer>;
}

const UNAVAILABLE: NotAsked = { kind: 'not-asked', cause: 'unavailable' };

/** Registered cards at the upstream gateway: its own card-ref-id is the token by which it charges the card. */
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

  /** The answer of create-card-ref does not name the order, so that its reference is believed once get-card-info shows this card. */
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
