import type { AttemptKey, Clock, Secret } from '@app/kernel';
import type {
  CanListen,
  GateReport,
  InboundResult,
  InboundRequest,
  CallLimit,
  CanCharge,
  CanInquire,
  ChargeAnswer,
  ChargeRequest,
  Gate,
  GateProfile,
  InquiryAnswer,
  SentFollowUp,
  SentRequest,
  Unknown,
} from '../contract';
import { outcomeOf } from './translation';
import { isFromAcquirer, readNotification, createPayment, findPayment, readAnswer } from './wire';
import type { GateClient, GateReply } from '../client';

/** The acquirer's notifications: an outcome if the signature is valid, otherwise a hint to inquire. */
class TemplateNotifications implements CanListen {
  constructor(
    private readonly notificationKey: Secret<string>,
    private readonly clock: Clock,
  ) {}

  listen(request: InboundRequest): Promise<InboundResult> {
    const answer = readNotification(request);
    if (answer.kind !== 'payment') return Promise.resolve({ reply: { status: 400 }, reports: [] });
    const key = answer.payment.reference as AttemptKey;
    const seenAt = this.clock.now();
    const report: GateReport = isFromAcquirer(request, this.notificationKey)
      ? { kind: 'outcome', key, answerTo: (sent) => outcomeOf(answer, sent, seenAt) }
      : { kind: 'hint', key };
    return Promise.resolve({ reply: { status: 200 }, reports: [report] });
  }
}

interface TemplateParts {
  readonly profile: GateProfile;
  readonly client: Pick<GateClient, 'send'>;
  readonly clock: Clock;
  readonly apiKey: Secret<string>;
  readonly notificationKey: Secret<string>;
}

const UNKNOWN_PAYMENT: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** The request may have arrived. */
const lost = ({ cause }: Extract<GateReply, { kind: 'lost' }>): Unknown => ({
  kind: 'unknown',
  cause: cause === 'timeout' || cause === 'connection-lost' ? cause : 'unrecognised-answer',
});

/** A gate of an imaginary acquirer with a small JSON API: the minimum of an adapter. */
export class TemplateGate implements Gate, CanCharge, CanInquire {
  readonly profile: GateProfile;
  readonly charging: CanCharge = this;
  readonly inquiring: CanInquire = this;
  readonly listening: CanListen;
  readonly #parts: TemplateParts;

  constructor(parts: TemplateParts) {
    this.#parts = parts;
    this.profile = parts.profile;
    this.listening = new TemplateNotifications(parts.notificationKey, parts.clock);
  }

  async charge(request: ChargeRequest, limit: CallLimit): Promise<ChargeAnswer> {
    const { cvvRequired, currencies } = this.profile;
    const isRefused = (cvvRequired && request.cvv === undefined) || !currencies.includes(request.amount.currency);
    if (isRefused) return { kind: 'not-asked', cause: 'refused-by-gate' };
    const reply = await this.#parts.client.send(createPayment(request, this.#parts.apiKey), limit);
    // Certain: no byte was sent, so another gate may be used.
    if (reply.kind === 'not-sent') return { kind: 'not-asked', cause: 'unavailable' };
    if (reply.kind === 'lost') return lost(reply);
    const outcome = outcomeOf(readAnswer(reply.status, reply.body), request, this.#parts.clock.now());
    return outcome.kind === 'not-found' ? UNKNOWN_PAYMENT : outcome;
  }

  async inquire(sent: SentRequest | SentFollowUp, limit: CallLimit): Promise<InquiryAnswer> {
    const reply = await this.#parts.client.send(findPayment(sent.key, this.#parts.apiKey), limit);
    // The inquiry was not sent; a later one may find the payment.
    if (reply.kind === 'not-sent') return { kind: 'unknown', cause: 'connection-lost' };
    if (reply.kind === 'lost') return lost(reply);
    return outcomeOf(readAnswer(reply.status, reply.body), sent, this.#parts.clock.now());
  }
}
