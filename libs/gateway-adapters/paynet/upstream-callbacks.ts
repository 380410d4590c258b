import type { AttemptKey, Clock, Instant } from '@app/kernel';
import type { CanListen, GateReport, Heard, InboundReply, InboundRequest } from '../contract';
import { callbackOutcome, isOfInitialTransaction } from './translation/callback';
import type { RefusalCodes } from './translation/refusal-codes';
import { isLaterReport, laterReport } from './translation/later-report';
import type { AnswerFields } from './wire/answer-fields';
import { readCallbackFields } from './wire/callback-fields';
import { isFromUpstream, type CallbackProof } from './wire/callback-proof';

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
