import { encodeForm, FORM_ANSWER_TYPE, parseFormAnswer } from '@app/gateway-protocol';
import type { Configuration } from '@app/merchant-accounts';
import { signRequest, type SignedOperation, type SignedRequest } from '../signing/sign-request';
import type { TourReport } from './tour-report';

export type Answer = ReadonlyMap<string, string>;

const ANSWER_TIMEOUT_MS = 15_000;

export interface Request {
  readonly operation: SignedOperation;
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The merchant's side of Group A: signs, posts a form, reads the answer. Nothing of the service is used but its published language. */
export class MerchantClient {
  constructor(
    private readonly configuration: Configuration,
    private readonly report: TourReport,
  ) {}

  sign({ operation, endpoint, fields }: Request): SignedRequest {
    return signRequest({ operation, endpoint, fields: new Map(Object.entries(fields)) }, this.configuration);
  }

  /** Shown; `change` is what somebody does to the request after it was signed. */
  async send(request: Request, change: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const signed = this.sign(request);
    const fields = signed.fields.map(([name, value]) => [name, change[name] ?? value] as const);
    this.report.request('POST', signed.url ?? '', fields);
    const { answer, head } = await post(signed.url ?? '', fields);
    this.report.answer(head, answer);
    return answer;
  }

  /** Not shown: for asking again and again. */
  async ask(request: Request): Promise<Answer> {
    const { url, fields } = this.sign(request);
    return (await post(url ?? '', fields)).answer;
  }
}

const post = async (
  url: string,
  fields: readonly (readonly [string, string])[],
): Promise<{ readonly answer: Answer; readonly head: string }> => {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: FORM_ANSWER_TYPE },
    body: encodeForm(fields),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const body = await response.text();
  return { answer: parseFormAnswer(body), head: `HTTP ${response.status}, ${(performance.now() - startedAt).toFixed(0)} ms` };
};
