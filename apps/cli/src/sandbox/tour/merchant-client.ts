import type { KeyObject } from 'node:crypto';
import { encodeForm, FORM_ANSWER_TYPE, parseFormAnswer } from '@app/gateway-protocol';
import { systemClock, systemIds } from '@app/kernel';
import type { Configuration } from '@app/configuration';
import { signRequest, type SignedOperation, type SignedRequest } from '../../merchant/sign-request';
import type { TourReport } from './tour-report';

export type Answer = ReadonlyMap<string, string>;

const ANSWER_TIMEOUT_MS = 15_000;

export interface Request {
  readonly operation: SignedOperation;
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, string>>;
  /** 4 is signed with the merchant's private key instead of its control key. */
  readonly version?: 4;
}

/** An answer with its HTTP code; one that is no answer of an operation, like a page, has no fields. */
export interface Answered {
  readonly answer: Answer;
  readonly httpStatus: number;
}

/** The merchant's side of Group A: it signs, posts a form and reads the answer, with nothing of the service but the published protocol. */
export class MerchantClient {
  constructor(
    private readonly configuration: Configuration,
    private readonly privateKey: KeyObject,
    private readonly report: TourReport,
  ) {}

  sign({ operation, endpoint, fields, version }: Request): SignedRequest {
    const oauth = version === 4 ? { privateKey: this.privateKey, nonce: systemIds.next(), now: systemClock.now() } : undefined;
    return signRequest({ operation, endpoint, fields: new Map(Object.entries(fields)), oauth }, this.configuration);
  }

  /** Shows the exchange; `change` tampers with the request after it was signed. */
  async send(request: Request, change: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const signed = this.sign(request);
    const fields = signed.fields.map(([name, value]) => [name, change[name] ?? value] as const);
    return (await this.sendSigned({ ...signed, fields })).answer;
  }

  /** Shows the exchange of a signed request, which may be a repeat. */
  async sendSigned(signed: SignedRequest): Promise<Answered> {
    const { url = '', authorization, fields } = signed;
    this.report.request('POST', url, authorization === undefined ? fields : [['Authorization', authorization], ...fields]);
    const { head, ...answered } = await post(signed);
    this.report.answer(head, answered.answer);
    return answered;
  }

  /** Shows nothing, for repeated requests. */
  async ask(request: Request): Promise<Answer> {
    return (await post(this.sign(request))).answer;
  }
}

const post = async ({ url = '', authorization, fields }: SignedRequest): Promise<Answered & { readonly head: string }> => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: FORM_ANSWER_TYPE,
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body: encodeForm(fields),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const body = await response.text();
  const head = `HTTP ${response.status}, ${(performance.now() - startedAt).toFixed(0)} ms`;
  return { answer: response.ok ? parseFormAnswer(body) : new Map(), httpStatus: response.status, head };
};
