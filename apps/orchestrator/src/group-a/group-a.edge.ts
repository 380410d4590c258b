import type { Request, Response } from 'express';
import type { Clock, Failpoints } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VaultUnavailable } from '@app/card-vault';
import {
  contentTypeRefusal,
  inWireOrder,
  IDEMPOTENCY_KEY_HEADER,
  KEY_OF_NOBODY,
  messagePage,
  PAGE_POLICY,
  parseForm,
  readAmount,
  readClientOrderId,
  readIdempotencyKey,
  REFUSAL_FIELDS,
  refusalResponse,
  validateMessage,
  writeAnswer,
  type AnswerBody,
  type Form,
} from '@app/gateway-protocol';
import type { Accounts, EntryPoint, Merchant } from '@app/merchant-accounts';
import type { RateLimit } from '../rate-limit/rate-limit';
import { asyncAnswer } from './async-answer';
import { HTML_TYPE, type ReadBody, readBody, sendAnswer } from '@app/serving';
import type { IdempotencyKeys, KeyedOperation } from './idempotency/idempotency-keys';
import type { OauthDesk } from './oauth/oauth-desk';
import { refused, type Answer, type GroupAOperation } from './operation';

/** Where serial-numbers come from; durable blocks (protocol decisions, section 3). */
export interface SerialSource {
  next(): string | Promise<string>;
}

/** One request and what it came to, for metrics and the log: no field of the request but its identifiers. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  readonly merchant: string | undefined;
  readonly outcome: string;
  readonly durationMs: number;
}

export interface GroupAEdgePorts {
  readonly accounts: Accounts;
  readonly serials: SerialSource;
  readonly oauth: OauthDesk;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly clock: Clock;
  readonly failpoints: Failpoints;
  readonly rateLimit: RateLimit;
  readonly onServed: (served: ServedRequest) => void;
  /** A bug, or a store that failed in a way nobody foresaw; answered with code 99. */
  readonly onError: (serial: string, error: unknown) => void;
}

/** What goes back: an answer, or the page of those whose signature of a v4 request does not hold. */
type Reply = Answer | { readonly kind: 'access-denied' };
const ACCESS_DENIED: Reply = { kind: 'access-denied' };

interface Served {
  readonly reply: Reply;
  readonly clientOrderId?: string | undefined;
  readonly merchant?: string;
  /** Where it is not the request's own: a repeat under an Idempotency-Key. */
  readonly serial?: string;
}

/** Who sent a request, as its signature proves. */
interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  readonly amountMinor: bigint;
}

/** One page for whatever was wrong (interface, section 5.2; safety, T8). */
const DENIED_PAGE = messagePage({ title: 'Access is denied', message: 'Access is denied.' });

/**
 * The way of every Group A request: form, entry point and sender, amount, signature, fields, and then the operation's own rules, in the order of
 * protocol decisions, section 4. A stranger learns nothing from field errors, a merchant's developer is told which field.
 */
export class GroupAEdge {
  constructor(private readonly ports: GroupAEdgePorts) {}

  async serve<Message extends object>(
    request: Request,
    response: Response,
    kind: EntryPoint['kind'],
    id: string,
    operation: GroupAOperation<Message>,
  ): Promise<void> {
    const startedAt = performance.now();
    const { serials, onServed, failpoints } = this.ports;
    const read = await readBody(request);
    if (read.kind === 'aborted') return;
    failpoints.reach('P0');
    let serial: string;
    try {
      serial = await serials.next();
    } catch (error) {
      this.ports.onError('', error);
      this.send(request, response, refused('temporarily-unavailable'), undefined, '');
      return;
    }
    if (read.kind === 'too-large') {
      sendAnswer(response, {
        status: 413,
        ...this.body(request, refused('malformed-field', 'The request is larger than 1 MiB'), undefined, serial),
      });
      return;
    }
    const served = await this.served(read, request, kind, id, operation, serial).catch((error: unknown): Served => ({
      reply: this.failure(error, serial),
    }));
    const { reply, clientOrderId, merchant } = served;
    this.send(request, response, reply, clientOrderId, served.serial ?? serial);
    failpoints.reach('P4');
    const outcome = reply.kind === 'refused' ? reply.name : reply.kind === 'access-denied' ? reply.kind : 'answered';
    onServed({ operation: operation.name, serial, merchant, outcome, durationMs: performance.now() - startedAt });
  }

  private async served<Message extends object>(
    read: Extract<ReadBody, { kind: 'read' | 'unsupported' }>,
    request: Request,
    kind: EntryPoint['kind'],
    id: string,
    operation: GroupAOperation<Message>,
    serial: string,
  ): Promise<Served> {
    if (read.kind === 'unsupported') return { reply: refused('malformed-field', 'Content-Encoding must be identity') };
    const wrongType = contentTypeRefusal(request.headers['content-type']);
    const parsed = wrongType === undefined ? parseForm(read.body) : { refused: wrongType };
    if ('refused' in parsed) return { reply: refused('malformed-field', parsed.refused.message) };
    const form = parsed.ok;
    const clientOrderId = readClientOrderId(form);

    const sender = await this.sender(request, form, kind, id, operation, serial);
    if ('reply' in sender) return { clientOrderId, ...sender };
    const { merchant } = sender;
    const answered = (reply: Reply): Served => ({ reply, clientOrderId, merchant: merchant.login });
    // Who proved to be the merchant uses up its rate: a stranger cannot (safety, T35).
    const admission = await this.ports.rateLimit.admit(merchant.login);
    if (admission.kind === 'limited') return answered({ ...refused('rate-limited'), retryAfterMs: admission.retryAfterMs });
    const valid = validateMessage(operation.message, form);
    if ('refused' in valid) return answered(refused('malformed-field', valid.refused.message));
    const key = idempotencyKeyIn(request, operation);
    if (key !== undefined && 'refused' in key) return answered(refused('malformed-field', key.refused.message));
    this.ports.failpoints.reach('P1');
    const admitted = { message: valid.ok, serial, receivedAt: this.ports.clock.now(), ...sender };
    try {
      if (key === undefined || !isKeyed(operation)) return answered(await operation.perform(admitted));
      const keyed = await this.ports.idempotencyKeys.answer(key.ok, admitted, operation);
      return { ...answered(keyed.answer), serial: keyed.serial };
    } catch (error) {
      return answered(this.failure(error, serial));
    }
  }

  /** Entry point, login, amount and signature, in this order (protocol decisions, section 4). */
  private async sender<Message extends object>(
    request: Request,
    form: Form,
    kind: EntryPoint['kind'],
    id: string,
    { proof, amount: amountIs }: GroupAOperation<Message>,
    serial: string,
  ): Promise<Sender | Pick<Served, 'reply' | 'merchant'>> {
    const entryPoint = this.ports.accounts.entryPoint(kind, id);
    const merchant = entryPoint === undefined ? undefined : this.ports.accounts.merchant(entryPoint.merchant);
    if (proof.kind === 'oauth') {
      const isAuthentic = await this.ports.oauth.isAuthentic(request, form, merchant, serial);
      const isKnown = entryPoint !== undefined && merchant !== undefined;
      return isAuthentic && isKnown ? { entryPoint, merchant, amountMinor: 0n } : { reply: ACCESS_DENIED };
    }
    const isKnown = merchant !== undefined && (!proof.hasLogin || form.text('login') === merchant.login);
    const isAmountSent = amountIs === 'required' || (amountIs === 'optional' && form.text('amount') !== '');
    const amount = isAmountSent ? readAmount(form) : { ok: 0n };
    if (isKnown && 'refused' in amount) return { reply: refused('malformed-field', amount.refused.message), merchant: merchant.login };
    const amountMinor = 'ok' in amount ? amount.ok : 0n;
    const signed = { form, entryPointId: id, amountMinor, rebillControl: merchant?.rebillControl ?? 'with-endpoint' };
    // The stranger's checksum is computed too: how long an answer takes tells nothing (safety, T10).
    const isSigned = await proof.isSigned(signed, isKnown ? merchant.controlKey : KEY_OF_NOBODY);
    if (!isKnown || !isSigned || entryPoint === undefined) return { reply: refused('authentication-failed') };
    return { entryPoint, merchant, amountMinor };
  }

  private failure(error: unknown, serial: string): Answer {
    if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) {
      this.ports.onError(serial, error);
      return refused('temporarily-unavailable');
    }
    this.ports.onError(serial, error);
    return refused(error instanceof OutcomeUnknown ? 'acceptance-unknown' : 'internal');
  }

  private send(request: Request, response: Response, reply: Reply, clientOrderId: string | undefined, serial: string): void {
    const retryAfterMs = reply.kind === 'refused' ? reply.retryAfterMs : undefined;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    if (reply.kind === 'access-denied')
      sendAnswer(response, { status: 403, contentType: HTML_TYPE, policy: PAGE_POLICY, body: DENIED_PAGE });
    else sendAnswer(response, { status: 200, ...this.body(request, reply, clientOrderId, serial) });
  }

  private body(request: Request, answer: Answer, clientOrderId: string | undefined, serialNumber: string): AnswerBody {
    const { accept } = request.headers;
    if (answer.kind === 'answer') return writeAnswer(accept, answer.pairs);
    if (answer.kind === 'accepted') return writeAnswer(accept, asyncAnswer(serialNumber, answer));
    const response = refusalResponse({ name: answer.name, serialNumber, clientOrderId, message: answer.message });
    return writeAnswer(accept, inWireOrder(REFUSAL_FIELDS, response));
  }
}

const isKeyed = <Message extends object>(operation: GroupAOperation<Message>): operation is KeyedOperation<Message> =>
  operation.standing !== undefined;

/** Undefined where none was sent, or the operation changes nothing and needs none (protocol decisions, section 10). */
const idempotencyKeyIn = <Message extends object>(request: Request, operation: GroupAOperation<Message>) =>
  request.headers[IDEMPOTENCY_KEY_HEADER] === undefined || !isKeyed(operation)
    ? undefined
    : readIdempotencyKey(request.headersDistinct[IDEMPOTENCY_KEY_HEADER] ?? []);
