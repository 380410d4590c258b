import type { Request, Response } from 'express';
import type { Clock, Deadline, Failpoints } from '@app/kernel';
import {
  OutcomeUnknown,
  readTraceparent,
  StoreUnavailable,
  traceIdOf,
  type CallerTrace,
  type RequestDeadline,
  type RequestDeadlines,
} from '@app/event-store';
import { VaultUnavailable } from '@app/card-vault';
import {
  contentTypeRefusal,
  fieldsAsDecoded,
  FORM_BYTES_MAX,
  formBytesMax,
  inWireOrder,
  IDEMPOTENCY_KEY_HEADER,
  inKib,
  messagePage,
  PAGE_POLICY,
  parseForm,
  readAmount,
  readClientOrderId,
  readIdempotencyKey,
  REFUSAL_FIELDS,
  refusalResponse,
  SHORT_FORM_BYTES_MAX,
  validateMessage,
  writeAnswer,
  type AnswerBody,
  type ControlKey,
  type Form,
} from '@app/gateway-protocol';
import type { Accounts, EntryPoint, Merchant } from '@app/configuration';
import type { NamedRequest } from '@app/order-processing';
import type { SerialSource } from '../request/serial-source';
import type { RateLimit } from '../request/rate-limit/rate-limit';
import type { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import { asyncAnswer } from './async-answer';
import { bodyReader, HTML_TYPE, type ReadBody, sendAnswer } from '@app/http-server';
import type { IdempotencyKeys, KeyedOperation } from './idempotency/idempotency-keys';
import type { OAuthVerifier } from './oauth/oauth-verifier';
import { refused, type Answer, type ControlProof, type GroupAOperation, type Refused, type Signed } from './operation';

/** One request and what it came to, for metrics and the log: no field of the request but its identifiers. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  /** Of its caller, as 32 hex digits; absent where it brought none. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  readonly outcome: string;
  readonly durationMs: number;
}

export interface GroupAEdgePorts {
  readonly accounts: Accounts;
  readonly nobody: KeysOfUnknownMerchants;
  readonly serials: SerialSource;
  readonly oauth: OAuthVerifier;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly clock: Clock;
  readonly failpoints: Failpoints;
  readonly rateLimit: RateLimit;
  readonly deadlines: RequestDeadlines;
  readonly onServed: (served: ServedRequest) => void;
  /** A bug, or a store that failed in a way nobody foresaw; answered with code 99. */
  readonly onError: (request: NamedRequest, error: unknown) => void;
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
  /** Of HTTP, where it is not 200. */
  readonly status?: number;
}

/** What is known of a request by now, for the answer that its deadline may ask for. */
interface Progress {
  serial: string;
  readonly callerTrace: CallerTrace | undefined;
  deadline?: Deadline;
  clientOrderId?: string | undefined;
  merchant?: string;
}

/** One request, before anything of it was looked at. */
interface Arrived<Message extends object> {
  readonly request: Request;
  readonly response: Response;
  readonly kind: EntryPoint['kind'];
  readonly id: string;
  readonly operation: GroupAOperation<Message>;
  readonly bytesMax: number;
  readonly startedAt: number;
}

/** Who sent a request, as its signature proves. */
interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  readonly amountMinor: bigint;
}

const readLong = bodyReader(FORM_BYTES_MAX);
const readShort = bodyReader(SHORT_FORM_BYTES_MAX);
/** For who comes while there is no room for his body. */
const NO_ROOM_MS = 1_000;
/** Of bodies that were not read. */
const UNREAD_STATUS = { 'too-large': 413, 'no-room': 503 } as const;

/** One page for whatever was wrong (interface, section 5.2; safety, T8). */
const DENIED_PAGE = messagePage({ title: 'Access is denied', message: 'Access is denied.' });

/**
 * The way of every Group A request: form, entry point and sender, amount, signature, fields, and then the operation's own rules, in the order of
 * protocol decisions, section 4. A stranger learns nothing from field errors, a merchant's developer is told which field.
 */
export class GroupAEdge {
  constructor(private readonly ports: GroupAEdgePorts) {}

  serve<Message extends object>(
    request: Request,
    response: Response,
    kind: EntryPoint['kind'],
    id: string,
    operation: GroupAOperation<Message>,
  ): Promise<void> {
    const startedAt = performance.now();
    const bytesMax = formBytesMax(operation.message);
    const readBody = bytesMax === FORM_BYTES_MAX ? readLong : readShort;
    return readBody(request, (read) => this.answer(read, { request, response, kind, id, operation, bytesMax, startedAt }));
  }

  private async answer<Message extends object>(read: ReadBody, arrived: Arrived<Message>): Promise<void> {
    const { deadlines, onServed, failpoints } = this.ports;
    const { request, response, operation, startedAt } = arrived;
    if (read.kind === 'aborted') return;
    failpoints.reach('P0');
    const callerTrace = readTraceparent(request.headers['traceparent']);
    const progress: Progress = { serial: '', callerTrace };
    const served = await deadlines.serve(
      (deadline) => this.worked(read, arrived, progress, deadline),
      (mayBeStored): Served => ({ ...progress, reply: this.failure(tooLate(mayBeStored), progress) }),
    );
    const { serial } = progress;
    const { reply, clientOrderId, merchant } = served;
    this.send(request, response, reply, clientOrderId, { own: serial, told: served.serial ?? serial }, served.status);
    failpoints.reach('P4');
    const outcome = served.status === UNREAD_STATUS['no-room'] ? 'no-room' : outcomeOf(reply);
    const trace = callerTrace === undefined ? undefined : { trace: traceIdOf(callerTrace) };
    onServed({ operation: operation.name, serial, ...trace, merchant, outcome, durationMs: performance.now() - startedAt });
  }

  private async worked<Message extends object>(
    read: Exclude<ReadBody, { kind: 'aborted' }>,
    arrived: Arrived<Message>,
    progress: Progress,
    deadline: RequestDeadline,
  ): Promise<Served> {
    try {
      progress.serial = await this.ports.serials.next();
    } catch (error) {
      this.ports.onError(progress, error);
      return { reply: refused('temporarily-unavailable') };
    }
    deadline.named(progress.serial);
    progress.deadline = deadline;
    if (read.kind === 'too-large' || read.kind === 'no-room') {
      return { reply: this.unread(read.kind, arrived.bytesMax), status: UNREAD_STATUS[read.kind] };
    }
    try {
      return await this.served(read, arrived, progress, deadline);
    } catch (error) {
      return { reply: this.failure(error, progress) };
    }
  }

  private async served<Message extends object>(
    read: Extract<ReadBody, { kind: 'read' | 'unsupported' }>,
    { request, kind, id, operation }: Arrived<Message>,
    progress: Progress,
    deadline: RequestDeadline,
  ): Promise<Served> {
    const { serial, callerTrace } = progress;
    if (read.kind === 'unsupported') return { reply: refused('malformed-field', 'Content-Encoding must be identity') };
    const wrongType = contentTypeRefusal(request.headers['content-type']);
    const parsed = wrongType === undefined ? parseForm(read.body) : { refused: wrongType };
    if ('refused' in parsed) return { reply: refused('malformed-field', parsed.refused.message) };
    const form = parsed.ok;
    const clientOrderId = readClientOrderId(form);
    progress.clientOrderId = clientOrderId;

    const sender = await this.sender(request, form, kind, id, operation, progress);
    if ('reply' in sender) return { clientOrderId, ...sender };
    const { merchant } = sender;
    progress.merchant = merchant.login;
    const answered = (reply: Reply): Served => ({ reply, clientOrderId, merchant: merchant.login });
    // Who proved to be the merchant uses up its rate: a stranger cannot (safety, T35).
    const admission = await this.ports.rateLimit.admit(merchant.login);
    if (admission.kind === 'limited') return answered({ ...refused('rate-limited'), retryAfterMs: admission.retryAfterMs });
    const valid = validateMessage(operation.message, form);
    if ('refused' in valid) return answered(refused('malformed-field', valid.refused.message));
    const key = idempotencyKeyIn(request, operation);
    if (key !== undefined && 'refused' in key) return answered(refused('malformed-field', key.refused.message));
    this.ports.failpoints.reach('P1');
    const admitted = { message: valid.ok, serial, callerTrace, deadline, receivedAt: this.ports.clock.now(), ...sender };
    try {
      if (key === undefined || !isKeyed(operation)) return answered(await operation.perform(admitted));
      deadline.mayAppendUnseen();
      const keyed = await this.ports.idempotencyKeys.answer(key.ok, admitted, operation);
      return { ...answered(keyed.answer), serial: keyed.serial };
    } catch (error) {
      return answered(this.failure(error, progress));
    }
  }

  /** Entry point, login, amount and signature, in this order (protocol decisions, section 4). */
  private async sender<Message extends object>(
    request: Request,
    form: Form,
    kind: EntryPoint['kind'],
    id: string,
    { proof, amount: amountIs }: GroupAOperation<Message>,
    named: NamedRequest,
  ): Promise<Sender | Pick<Served, 'reply' | 'merchant'>> {
    const entryPoint = this.ports.accounts.entryPoint(kind, id);
    const merchant = entryPoint === undefined ? undefined : this.ports.accounts.merchant(entryPoint.merchant);
    if (proof.kind === 'oauth') {
      const isAuthentic = await this.ports.oauth.isAuthentic(request, form, { merchant, id }, named);
      const isKnown = entryPoint !== undefined && merchant !== undefined;
      return isAuthentic && isKnown ? { entryPoint, merchant, amountMinor: 0n } : { reply: ACCESS_DENIED };
    }
    const isKnown = merchant !== undefined && (!proof.hasLogin || form.text('login') === merchant.login);
    const isAmountSent = amountIs === 'required' || (amountIs === 'optional' && form.text('amount') !== '');
    const amount = isAmountSent ? readAmount(form) : { ok: 0n };
    if (isKnown && 'refused' in amount) return { reply: refused('malformed-field', amount.refused.message), merchant: merchant.login };
    const amountMinor = 'ok' in amount ? amount.ok : 0n;
    const holder = isKnown ? merchant : this.ports.nobody.control(merchant, id);
    const signed = { form, entryPointId: id, amountMinor, rebillControl: holder.rebillControl, deadline: named.deadline };
    // The stranger's checksum is computed too: how long an answer takes tells nothing (safety, T10).
    const isSigned = await isSignedInEitherForm(proof, form, signed, holder.controlKey);
    if (!isKnown || !isSigned || entryPoint === undefined) return { reply: refused('authentication-failed') };
    return { entryPoint, merchant, amountMinor };
  }

  private unread(why: keyof typeof UNREAD_STATUS, bytesMax: number): Refused {
    if (why === 'too-large') return refused('malformed-field', `The request is larger than ${inKib(bytesMax)}`);
    return { ...refused('temporarily-unavailable'), retryAfterMs: NO_ROOM_MS };
  }

  private failure(error: unknown, request: NamedRequest): Answer {
    if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) {
      this.ports.onError(request, error);
      return refused('temporarily-unavailable');
    }
    this.ports.onError(request, error);
    return refused(error instanceof OutcomeUnknown ? 'acceptance-unknown' : 'internal');
  }

  private send(
    request: Request,
    response: Response,
    reply: Reply,
    clientOrderId: string | undefined,
    serials: { readonly own: string; readonly told: string },
    status = 200,
  ): void {
    const requestId = serials.own === '' ? undefined : serials.own;
    const retryAfterMs = reply.kind === 'refused' ? reply.retryAfterMs : undefined;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    if (reply.kind === 'access-denied')
      sendAnswer(response, { status: 403, contentType: HTML_TYPE, policy: PAGE_POLICY, body: DENIED_PAGE, requestId });
    else sendAnswer(response, { status, ...this.body(request, reply, clientOrderId, serials.told), requestId });
  }

  private body(request: Request, answer: Answer, clientOrderId: string | undefined, serialNumber: string): AnswerBody {
    const { accept } = request.headers;
    if (answer.kind === 'answer') return writeAnswer(accept, answer.pairs);
    if (answer.kind === 'accepted') return writeAnswer(accept, asyncAnswer(serialNumber, answer));
    const response = refusalResponse({ name: answer.name, serialNumber, clientOrderId, message: answer.message });
    return writeAnswer(accept, inWireOrder(REFUSAL_FIELDS, response));
  }
}

/** Over the trimmed values; where that does not fit, over the values as they were decoded. For a stranger both are tried, as for a wrong checksum. */
const isSignedInEitherForm = async (proof: ControlProof, form: Form, signed: Signed, key: ControlKey): Promise<boolean> => {
  if (await proof.isSigned(signed, key)) return true;
  const decoded = fieldsAsDecoded(form);
  return decoded !== undefined && proof.isSigned({ ...signed, form: decoded }, key);
};

const outcomeOf = (reply: Reply): string =>
  reply.kind === 'refused' ? reply.name : reply.kind === 'access-denied' ? reply.kind : 'answered';

const tooLate = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');

const isKeyed = <Message extends object>(operation: GroupAOperation<Message>): operation is KeyedOperation<Message> =>
  operation.existing !== undefined;

/** Undefined where none was sent, or the operation changes nothing and needs none (protocol decisions, section 10). */
const idempotencyKeyIn = <Message extends object>(request: Request, operation: GroupAOperation<Message>) =>
  request.headers[IDEMPOTENCY_KEY_HEADER] === undefined || !isKeyed(operation)
    ? undefined
    : readIdempotencyKey(request.headersDistinct[IDEMPOTENCY_KEY_HEADER] ?? []);
