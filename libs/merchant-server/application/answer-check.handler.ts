import { isRejection, type EndpointId } from '@app/kernel';
import { load, runDecision, runOpeningDecision, type DecisionResult, type Envelope } from '@app/event-store';
import type { Product } from '@app/configuration';
import type { CardUse, ClientCardId, MerchantServerOperation, InvoiceId, KeyedDigest } from '../domain/terms';
import {
  invoice,
  isInvoiceOf,
  type InvoiceRejection,
  type CheckFacts,
  type InvoiceEvent,
  type NamedCard,
  type CheckedInvoice,
  type Invoice,
} from '../domain/invoice';
import { session } from '../domain/session';
import { cardNamed, wallet, type WalletCard } from '../domain/wallet';
import { invoiceCodec, invoiceStream, sessionStream, walletStream, sessionCodec, walletCodec } from '../merchant-server.codec';
import { digestOf } from './random-text';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts, InvoiceSignatures, ProductChecks } from './ports';
import { openSum, sealSum } from './consumer-cards';

export interface CheckRequest {
  readonly product: Product;
  readonly operation: MerchantServerOperation;
  readonly invoiceId: InvoiceId;
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly nonce: string;
  readonly signature: string;
  readonly token: string;
  readonly source?: ClientCardId | undefined;
  readonly destination?: ClientCardId | undefined;
}

export interface AnsweredCheck {
  readonly kind: 'answered';
  readonly endpointId: EndpointId;
  readonly order: CheckedInvoice['order'];
  readonly email: string | undefined;
  readonly randomSumCentis: number | undefined;
  readonly sourceServerCardId: string | undefined;
  readonly destinationServerCardId: string | undefined;
}

export type CheckResult =
  | AnsweredCheck
  /** A wrong token, serial number, nonce or signature, an unknown invoice, or another consumer's card (protocol decisions, section 8). */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'filtered'; readonly message: string };

const FORBIDDEN = { kind: 'forbidden' } as const;

type Opened = Exclude<Invoice, { status: 'none' }>;

/** Answers the gateway's check of an operation, before money moves (interface, section 4.6). */
export class AnswerCheckHandler {
  constructor(
    private readonly ports: MerchantServerPorts,
    private readonly signatures: InvoiceSignatures,
    private readonly checks: ProductChecks | undefined,
  ) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle(request: CheckRequest): Promise<CheckResult> {
    const { store, digests, clock } = this.ports;
    const { product, operation, invoiceId, token } = request;
    const { login } = product;
    const presented = {
      operation,
      accessToken: digestOf(digests, 'access token', login, request.accessToken),
      serialNumber: digestOf(digests, 'serial number', login, request.serialNumber),
      nonce: digestOf(digests, 'nonce', login, request.nonce),
    };
    const stream = invoiceStream(login, invoiceId);
    const from = await load(store, stream, invoice, invoiceCodec);
    const { state } = from;
    if (state.status === 'none' || !isInvoiceOf(state, presented) || state.nonce !== presented.nonce) return FORBIDDEN;
    const { endpointId, order } = state;
    if (!this.signatures.isSigned(product, { ...request, endpointId, order }, request.signature)) return FORBIDDEN;

    const facts = await this.factsOf(state, request, digestOf(digests, 'session token', login, token));
    if ('kind' in facts) return facts;
    const command = { type: 'AnswerCheck' as const, data: { ...presented, facts, now: clock.now() } };
    const seen = invoice.decide(command, state);
    // Refusal is final, so the session token is not recorded.
    if (isRejection(seen) && seen.reason !== 'accepted-before') return FORBIDDEN;
    const envelope = envelopeOf(this.ports, 'gateway', login);
    // Records the session before the check: another invoice's token must leave this invoice unchanged (architecture, rule 3).
    if (!(await this.learn(product, facts.session, invoiceId, envelope))) return FORBIDDEN;
    if (isRejection(seen)) return this.answerOf(product, seen.invoice);
    const answered = await runDecision({ store, codec: invoiceCodec, decider: invoice, stream, command, envelope, from });
    const checked = checkedBy(answered);
    if (checked !== undefined) return this.answerOf(product, checked);
    if (!isSessionOf(answered.state, facts.session)) await this.release(product, facts.session, invoiceId, envelope);
    return FORBIDDEN;
  }

  /** Records the session, whose stream maps a notification to its invoice. False if the token belongs to another invoice. */
  private async learn({ login }: Product, token: KeyedDigest, invoiceId: InvoiceId, envelope: Envelope): Promise<boolean> {
    const result = await runOpeningDecision({
      store: this.ports.store,
      codec: sessionCodec,
      decider: session,
      stream: sessionStream(login, token),
      command: { type: 'LearnSession', data: { invoiceId, now: this.ports.clock.now() } },
      envelope,
    });
    return result.kind === 'appended' || result.rejection.reason === 'nothing-new';
  }

  /** Releases the token if a concurrent check of the invoice with another token was first. */
  private async release({ login }: Product, token: KeyedDigest, invoiceId: InvoiceId, envelope: Envelope): Promise<void> {
    await runDecision({
      store: this.ports.store,
      codec: sessionCodec,
      decider: session,
      stream: sessionStream(login, token),
      command: { type: 'ReleaseSession', data: { invoiceId, now: this.ports.clock.now() } },
      // Two events of a stream need two ids (architecture, rule 2).
      envelope: { ...envelope, commandId: `${envelope.commandId}.release` },
    });
  }

  /** The answer's content; for a repeat it is only compared with the first answer. */
  private async factsOf(
    invoice: Opened,
    { product, source, destination }: CheckRequest,
    session: KeyedDigest,
  ): Promise<CheckFacts | Exclude<CheckResult, AnsweredCheck>> {
    const cards = await this.cardsOf(product, invoice.consumer, { source, destination });
    if (cards === undefined) return FORBIDDEN;
    const email = cards.source?.email ?? cards.destination?.email ?? invoice.email;
    const decision = invoice.status === 'opened' ? await this.decisionOn(product, invoice, email, source) : undefined;
    if (decision?.kind === 'filtered') return decision;
    const entered = decision?.randomSumCentis;
    const randomSum = entered === undefined ? cards.source?.randomSum?.sealed : sealSum(this.ports.sealer, product.login, entered);
    return {
      session,
      ...(cards.source && { source: nameOf(cards.source) }),
      ...(cards.destination && { destination: nameOf(cards.destination) }),
      ...(email !== undefined && { email }),
      ...(randomSum !== undefined && { randomSum }),
    };
  }

  private async decisionOn(product: Product, { invoiceId, order }: Opened, email: Opened['email'], sourceCard: ClientCardId | undefined) {
    return this.checks?.check({
      product,
      invoiceId,
      order,
      ...(email !== undefined && { email: this.ports.sealer.unseal(product.login, 'email', email) }),
      ...(sourceCard !== undefined && { sourceCard }),
    });
  }

  /** The consumer's cards of these names; undefined if the wallet lacks one (protocol decisions, section 8). */
  private async cardsOf(
    { login }: Product,
    consumer: KeyedDigest,
    names: { readonly [Use in CardUse]: ClientCardId | undefined },
  ): Promise<{ readonly [Use in CardUse]: WalletCard | undefined } | undefined> {
    const { source, destination } = names;
    if (source === undefined && destination === undefined) return names as { source: undefined; destination: undefined };
    const { state } = await load(this.ports.store, walletStream(login, consumer), wallet, walletCodec);
    const cards = {
      source: source === undefined ? undefined : cardNamed(state, source, 'source'),
      destination: destination === undefined ? undefined : cardNamed(state, destination, 'destination'),
    };
    const isUnknown =
      (source !== undefined && cards.source === undefined) || (destination !== undefined && cards.destination === undefined);
    return isUnknown ? undefined : cards;
  }

  private answerOf({ login }: Product, { endpointId, order, check }: CheckedInvoice): AnsweredCheck {
    return {
      kind: 'answered',
      endpointId,
      order,
      email: check.email === undefined ? undefined : this.ports.sealer.unseal(login, 'email', check.email),
      randomSumCentis: check.randomSum === undefined ? undefined : openSum(this.ports.sealer, login, check.randomSum),
      sourceServerCardId: check.source?.serverCardId,
      destinationServerCardId: check.destination?.serverCardId,
    };
  }
}

const checkedBy = (answered: DecisionResult<InvoiceEvent, Invoice, InvoiceRejection>): CheckedInvoice | undefined => {
  if (answered.kind === 'rejected') return answered.rejection.reason === 'accepted-before' ? answered.rejection.invoice : undefined;
  const { state } = answered;
  return state.status === 'none' || state.status === 'opened' ? undefined : state;
};

const isSessionOf = (invoice: Invoice, token: KeyedDigest): boolean =>
  invoice.status !== 'none' && invoice.status !== 'opened' && invoice.check.session === token;

const nameOf = ({ clientCardId, serverCardId }: WalletCard): NamedCard => ({ clientCardId, serverCardId });
