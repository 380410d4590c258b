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
  DisputeChange,
  InboundRequest,
  CanListen,
  GateReport,
  InboundResult,
  InboundReply,
} from '../contract';
import { type AnswerFields, readFlatJson, underOwnNames } from './wire/answer-fields';
import { type RefusalCodes, readFollowUpStatus } from './translation/status';

/** Transaction types that start an order. Follow-ups name no request of ours (protocol decisions, section 6). */
const INITIAL_TYPES: ReadonlySet<string> = new Set(['sale', 'preauth', 'account_verification', 'transfer']);

export const isOfInitialTransaction = (fields: AnswerFields): boolean => INITIAL_TYPES.has(fields.get('type') ?? '');

/**
 * Reads an authenticated callback like `readStatus`; an unknown status is not final.
 * @param seenAt the time of the outcome, because a callback has none
 */
export const callbackOutcome = (
  fields: AnswerFields,
  sent: SentRequest | SentFollowUp,
  { codes, seenAt }: { readonly codes: RefusalCodes; readonly seenAt: Instant },
): InquiryAnswer => {
  if ('operation' in sent) return { kind: 'unknown', cause: 'unrecognised-answer' };
  const members = new Map(fields);
  // In a status answer, `type` means the kind of answer.
  members.delete('type');
  const expected = { clientOrderId: sent.key, gateOrderId: sent.gateOrderId, amount: sent.amount, codes };
  const outcome = readFollowUpStatus(members, expected, seenAt);
  return outcome.kind === 'undecided' ? { kind: 'unknown', cause: 'gate-undecided' } : outcome;
};

const CASE = /^[\x21-\x7e]{1,64}$/;
const REASON_CODE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,15}$/;
const CURRENCY = /^[A-Z]{3}$/;

type Stage = NonNullable<Extract<DisputeChange, { kind: 'chargeback' }>['stage']>;
const STAGES: Readonly<Record<Stage, true>> = { first: true, second: true, arbitration: true };
const isStage = (text: string | undefined): text is Stage => text !== undefined && Object.hasOwn(STAGES, text);

const moneyOf = (fields: AnswerFields): Money | undefined => {
  const [amount, currency] = [fields.get('amount'), fields.get('currency')];
  const minor = amount === undefined ? undefined : parseAmount(amount);
  if (minor === undefined || minor === 0n || currency === undefined || !CURRENCY.test(currency)) return undefined;
  return { minor, currency: currency as Currency };
};

/** Some gateways send no `report`; they mark a chargeback only by its type, and their order id then identifies the case. */
const wordOf = (fields: AnswerFields): string | undefined =>
  fields.get('report') ?? (fields.get('type') === 'chargeback' && fields.get('status') === 'approved' ? 'chargeback' : undefined);

export const isLaterReport = (fields: AnswerFields): boolean => wordOf(fields) !== undefined;

/** Reads an event after the order's end (protocol decisions, D6.8). Undefined for an unknown event or an unreadable case, sum or stage. */
export const laterReport = (fields: AnswerFields): DisputeChange | undefined => {
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
 * From the JSON or form body of a POST or the query of a GET (protocol decisions, sections 6 and 12). Undefined if the request has no
 * readable status.
 */
const readCallbackFields = (request: InboundRequest): AnswerFields | undefined => {
  const pairs = pairsOf(request);
  const fields = pairs && underOwnNames(pairs);
  return fields?.has('status') === true ? fields : undefined;
};

export interface CallbackProof {
  readonly controlKey: ControlKey;
  /** If set, only its signature counts: the control does not cover the amount (protocol decisions, section 6). */
  readonly secret?: Secret<string>;
}

const webhookHeadersOf = ({ headers }: InboundRequest): Partial<WebhookHeaders> =>
  present({
    'webhook-id': headers.get('webhook-id'),
    'webhook-timestamp': headers.get('webhook-timestamp'),
    'webhook-signature': headers.get('webhook-signature'),
  });

/** Checks that the upstream gateway sent the callback. The signature of a GET covers the raw query. */
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

/** Only 200 confirms delivery; any other status triggers a retry (protocol decisions, section 6). */
const DELIVERED: InboundReply = { status: 200, body: 'OK' };
const NO_CALLBACK: InboundReply = { status: 400 };

/** The upstream gateway's callbacks. An authenticated one is an outcome that a status inquiry completes first; any other is a hint. */
export class UpstreamCallbacks implements CanListen {
  constructor(
    private readonly proof: CallbackProof,
    private readonly clock: Clock,
    private readonly codes: RefusalCodes,
  ) {}

  listen(request: InboundRequest): Promise<InboundResult> {
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

  /** Without a secret this is only a hint: the control covers neither type nor sum, and no request of ours can confirm them. */
  private laterReport(request: InboundRequest, fields: AnswerFields, key: AttemptKey, now: Instant): GateReport {
    const isProved = this.proof.secret !== undefined && isFromUpstream(request, fields, this.proof, now);
    const news = isProved ? laterReport(fields) : undefined;
    return news === undefined ? { kind: 'hint', key } : { kind: 'dispute', key, news };
  }
}
