import type { Request, Response } from 'express';
import type { Clock, Failpoints } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VaultUnavailable } from '@app/card-vault';
import {
  contentTypeRefusal,
  inWireOrder,
  KEY_OF_NOBODY,
  parseForm,
  readAmount,
  REFUSAL_FIELDS,
  refusalResponse,
  validateMessage,
  writeAnswer,
  type AnswerBody,
  type Form,
} from '@app/gateway-protocol';
import type { Accounts, EntryPoint } from '@app/merchant-accounts';
import { sendAnswer } from './http-answer';
import { refused, type Answer, type GroupAOperation } from './operation';
import { readBody } from './read-body';
import type { RateLimit } from '../rate-limit/rate-limit';

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
  readonly clock: Clock;
  readonly failpoints: Failpoints;
  readonly rateLimit: RateLimit;
  readonly onServed: (served: ServedRequest) => void;
  /** A bug, or a store that failed in a way nobody foresaw; answered with code 99. */
  readonly onError: (serial: string, error: unknown) => void;
}

type Served = { readonly answer: Answer; readonly clientOrderId: string | undefined; readonly merchant: string | undefined };

const CLIENT_ORDERID_LENGTH_MAX = 128;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Given back in a refusal only where it is what a client_orderid may be. */
const readableClientOrderId = (form: Form): string | undefined => {
  const text = form.text('client_orderid');
  const isReadable = text !== '' && text.length <= CLIENT_ORDERID_LENGTH_MAX && !CONTROL_CHARACTER.test(text);
  return isReadable ? text : undefined;
};

/**
 * The way of every Group A request: form, entry point and login, amount, checksum, fields, and then the operation's own rules, in the order of
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
    const read = await readBody(request, response);
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
    const { answer, clientOrderId, merchant } =
      read.kind === 'read'
        ? await this.answer(read.body, request.headers['content-type'], kind, id, operation, serial).catch((error: unknown) => ({
            answer: this.failure(error, serial),
            clientOrderId: undefined,
            merchant: undefined,
          }))
        : { answer: refused('malformed-field', 'Content-Encoding must be identity'), clientOrderId: undefined, merchant: undefined };
    this.send(request, response, answer, clientOrderId, serial);
    failpoints.reach('P4');
    const outcome = answer.kind === 'answer' ? 'answered' : answer.name;
    onServed({ operation: operation.name, serial, merchant, outcome, durationMs: performance.now() - startedAt });
  }

  private async answer<Message extends object>(
    body: Uint8Array,
    contentType: string | undefined,
    kind: EntryPoint['kind'],
    id: string,
    operation: GroupAOperation<Message>,
    serial: string,
  ): Promise<Served> {
    const wrongType = contentTypeRefusal(contentType);
    const parsed = wrongType === undefined ? parseForm(body) : { refused: wrongType };
    if ('refused' in parsed)
      return { answer: refused('malformed-field', parsed.refused.message), clientOrderId: undefined, merchant: undefined };
    const form = parsed.ok;
    const served = (answer: Answer, merchant?: string): Served => ({ answer, clientOrderId: readableClientOrderId(form), merchant });

    const entryPoint = this.ports.accounts.entryPoint(kind, id);
    const merchant = entryPoint === undefined ? undefined : this.ports.accounts.merchant(entryPoint.merchant);
    const isKnown = merchant !== undefined && (!operation.hasLogin || form.text('login') === merchant.login);
    const amount = operation.hasAmount ? readAmount(form) : { ok: 0n };
    if (isKnown && 'refused' in amount) return served(refused('malformed-field', amount.refused.message), merchant.login);
    const amountMinor = 'ok' in amount ? amount.ok : 0n;
    const signed = { form, entryPointId: id, amountMinor, rebillControl: merchant?.rebillControl ?? 'with-endpoint' };
    // The stranger's checksum is computed too: how long an answer takes tells nothing (safety, T10).
    const isSigned = operation.isSigned(signed, isKnown ? merchant.controlKey : KEY_OF_NOBODY);
    if (!isKnown || !isSigned || entryPoint === undefined) return served(refused('authentication-failed'));

    // Who proved to be the merchant uses up its rate: a stranger cannot (safety, T35).
    const admission = await this.ports.rateLimit.admit(merchant.login);
    if (admission.kind === 'limited') return served({ ...refused('rate-limited'), retryAfterMs: admission.retryAfterMs }, merchant.login);

    const valid = validateMessage(operation.message, form);
    if ('refused' in valid) return served(refused('malformed-field', valid.refused.message), merchant.login);
    this.ports.failpoints.reach('P1');
    const receivedAt = this.ports.clock.now();
    try {
      const answer = await operation.perform({ message: valid.ok, entryPoint, merchant, serial, amountMinor, receivedAt });
      return served(answer, merchant.login);
    } catch (error) {
      return served(this.failure(error, serial), merchant.login);
    }
  }

  private failure(error: unknown, serial: string): Answer {
    if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) {
      this.ports.onError(serial, error);
      return refused('temporarily-unavailable');
    }
    this.ports.onError(serial, error);
    return refused(error instanceof OutcomeUnknown ? 'acceptance-unknown' : 'internal');
  }

  private send(request: Request, response: Response, answer: Answer, clientOrderId: string | undefined, serial: string): void {
    const retryAfterMs = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    sendAnswer(response, { status: 200, ...this.body(request, answer, clientOrderId, serial) });
  }

  private body(request: Request, answer: Answer, clientOrderId: string | undefined, serialNumber: string): AnswerBody {
    const { accept } = request.headers;
    if (answer.kind === 'answer') return writeAnswer(accept, answer.pairs);
    const response = refusalResponse({ name: answer.name, serialNumber, clientOrderId, message: answer.message });
    return writeAnswer(accept, inWireOrder(REFUSAL_FIELDS, response));
  }
}
