import { type Instant, parseAmount, type Currency, type Money, present, type Secret, type AttemptKey, type Clock } from '@app/kernel';
import {
  FORM_REQUEST_TYPE,
  callbackControl,
  isControl,
  isWebhookAuthentic,
  type ControlKey,
  type WebhookHeaders,
} from '@app/gateway-protocol';
import type {
  InquiryAnswer,
  SentFollowUp,
  SentRequest,
  DisputeNews,
  InboundRequest,
  CanListen,
  GateReport,
  Heard,
  InboundReply,
} from '../contract';
import { type AnswerFields, readFlatJson, underOwnNames } from './wire/answer-fields';
import { type RefusalCodes, readFollowUpStatus } from './translation/status';

/** Types of transactions that begin an order; one that follows it names no request of ours (protocol decisions, section 6). */
const INITIAL_TYPES: ReadonlySet<string> = new Set(['sale', 'preauth', 'account_verification', 'transfer']);

/** Whether a callback tells what became of an order itself, and not of what was done to it later. */
export const isOfInitialTransaction = (fields: AnswerFields): boolean => INITIAL_TYPES.has(fields.get('type') ?? '');

/**
 * What an authenticated callback says of the request, as `readStatus` reads a status; a status value that is not known is not final.
 * @param seenAt stands for the moment of the outcome, which a callback does not name
 */
export const callbackOutcome = (
  fields: AnswerFields,
  sent: SentRequest | SentFollowUp,
  { codes, seenAt }: { readonly codes: RefusalCodes; readonly seenAt: Instant },
): InquiryAnswer => {
  if ('operation' in sent) return { kind: 'unknown', cause: 'unrecognised-answer' };
  const members = new Map(fields);
  // In a status answer this member names the kind of the answer.
  members.delete('type');
  const expected = { clientOrderId: sent.key, gateOrderId: sent.gateOrderId, amount: sent.amount, codes };
  const outcome = readFollowUpStatus(members, expected, seenAt);
  return outcome.kind === 'undecided' ? { kind: 'unknown', cause: 'gate-undecided' } : outcome;
};

const CASE = /^[\x21-\x7e]{1,64}$/;
const REASON_CODE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,15}$/;
const CURRENCY = /^[A-Z]{3}$/;

type Stage = NonNullable<Extract<DisputeNews, { kind: 'chargeback' }>['stage']>;
const STAGES: Readonly<Record<Stage, true>> = { first: true, second: true, arbitration: true };
const isStage = (text: string | undefined): text is Stage => text !== undefined && Object.hasOwn(STAGES, text);

const moneyOf = (fields: AnswerFields): Money | undefined => {
  const [amount, currency] = [fields.get('amount'), fields.get('currency')];
  const minor = amount === undefined ? undefined : parseAmount(amount);
  if (minor === undefined || minor === 0n || currency === undefined || !CURRENCY.test(currency)) return undefined;
  return { minor, currency: currency as Currency };
};

/** A gateway that does not say what it reports speaks of a chargeback by its type alone; its own id of the order names the one case. */
const wordOf = (fields: AnswerFields): string | undefined =>
  fields.get('report') ?? (fields.get('type') === 'chargeback' && fields.get('status') === 'approved' ? 'chargeback' : undefined);

/** Whether a callback tells of something that its order's gate did by itself. */
export const isLaterReport = (fields: AnswerFields): boolean => wordOf(fields) !== undefined;

/**
 * What a callback says of an order after its end (protocol decisions, D6.8); undefined for a word that is not known here, and where the case, its sum or
 * its stage cannot be read.
 */
export const laterReport = (fields: AnswerFields): DisputeNews | undefined => {
  const word = wordOf(fields);
  const reportId = fields.get('report-id') ?? (fields.has('report') ? undefined : fields.get('paynet-order-id'));
  if (reportId === undefined || !CASE.test(reportId)) return undefined;
  const [reasonCode, stage, amount] = [fields.get('reason-code'), fields.get('report-stage'), moneyOf(fields)];
  if (stage !== undefined && !isStage(stage)) return undefined;
  const about = { reportId, ...(reasonCode !== undefined && REASON_CODE.test(reasonCode) && { reasonCode }) };
  const staged = stage === undefined ? about : { ...about, stage };
  switch (word) {
    case 'reversal':
      return amount && { kind: 'reversal', ...about, amount };
    case 'chargeback':
      return amount && { kind: 'chargeback', ...staged, amount };
    case 'representment_won':
      return { kind: 'representment', outcome: 'won', ...staged };
    case 'representment_lost':
      return { kind: 'representment', outcome: 'lost', ...staged };
    case 'fraud_warning':
      return { kind: 'fraud-warning', ...about, ...(amount && { amount }) };
    case undefined:
    default:
      return undefined;
  }
};

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'text/json']);

const pairsOf = ({ method, contentType, query, body }: InboundRequest): Iterable<readonly [string, string]> | undefined => {
  if (method === 'GET') return query;
  if (contentType === FORM_REQUEST_TYPE) return new URLSearchParams(body);
  return JSON_TYPES.has(contentType) ? readFlatJson(body) : undefined;
};

/**
 * The members of a callback under the names of the interface: of the JSON or form body of a POST, or of the query of a GET (protocol decisions, sections 6
 * and 12). Undefined for what is neither.
 */
const readCallbackFields = (request: InboundRequest): AnswerFields | undefined => {
  const pairs = pairsOf(request);
  const fields = pairs && underOwnNames(pairs);
  return fields?.has('status') === true ? fields : undefined;
};

/** What the upstream gateway signs its callbacks with. */
export interface CallbackProof {
  readonly controlKey: ControlKey;
  /** Where there is one, its signature is the only proof: the control leaves out the amount (protocol decisions, section 6). */
  readonly secret?: Secret<string>;
}

const webhookHeadersOf = ({ headers }: InboundRequest): Partial<WebhookHeaders> =>
  present({
    'webhook-id': headers.get('webhook-id'),
    'webhook-timestamp': headers.get('webhook-timestamp'),
    'webhook-signature': headers.get('webhook-signature'),
  });

/** Whether the upstream gateway sent it. The signature of a GET covers the members as its query has them. */
const isFromUpstream = (request: InboundRequest, fields: AnswerFields, { secret, controlKey }: CallbackProof, now: Instant): boolean => {
  if (secret !== undefined) {
    const signed = request.method === 'GET' ? request.rawQuery : request.body;
    return isWebhookAuthentic(webhookHeadersOf(request), signed, secret, now);
  }
  const [status, orderId, clientOrderId, control] = ['status', 'paynet-order-id', 'merchant-order-id', 'control'].map((name) =>
    fields.get(name),
  );
  if (status === undefined || orderId === undefined || clientOrderId === undefined || control === undefined) return false;
  return isControl(callbackControl({ status, orderId, clientOrderId }, controlKey), control);
};

/** 200 means delivered; anything else is repeated (protocol decisions, section 6). */
const DELIVERED: InboundReply = { status: 200, body: 'OK' };
const NO_CALLBACK: InboundReply = { status: 400 };

/**
 * The callbacks of the upstream gateway. If it is proved who sent one, it is an outcome without the facts of the order's status, which is read before
 * anything is recorded; otherwise it is a hint to ask for that status.
 */
export class UpstreamCallbacks implements CanListen {
  constructor(
    private readonly proof: CallbackProof,
    private readonly clock: Clock,
    private readonly codes: RefusalCodes,
  ) {}

  listen(request: InboundRequest): Promise<Heard> {
    const fields = readCallbackFields(request);
    const key = (fields?.get('merchant-order-id') ?? request.about) as AttemptKey | undefined;
    if (fields === undefined || key === undefined) return Promise.resolve({ reply: NO_CALLBACK, reports: [] });
    return Promise.resolve({ reply: DELIVERED, reports: [this.report(request, fields, key)] });
  }

  private report(request: InboundRequest, fields: AnswerFields, key: AttemptKey): GateReport {
    const now = this.clock.now();
    if (isLaterReport(fields)) return this.laterReport(request, fields, key, now);
    if (!isOfInitialTransaction(fields) || !isFromUpstream(request, fields, this.proof, now)) return { kind: 'hint', key };
    const { codes } = this;
    return { kind: 'outcome', key, answerTo: (sent) => callbackOutcome(fields, sent, { codes, seenAt: now }), isSummary: true };
  }

  /** The control proves neither type nor sum, and no request of ours can be held against them: without a secret it is a hint. */
  private laterReport(request: InboundRequest, fields: AnswerFields, key: AttemptKey, now: Instant): GateReport {
    const isProved = this.proof.secret !== undefined && isFromUpstream(request, fields, this.proof, now);
    const news = isProved ? laterReport(fields) : undefined;
    return news === undefined ? { kind: 'hint', key } : { kind: 'dispute', key, news };
  }
}
