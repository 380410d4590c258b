import createClient from 'openapi-fetch';
import type { components, paths } from '../../../docs/openapi/operator';

/** The types of the operator port's answers, by their names in docs/openapi/operator.json. */
export type Schemas = components['schemas'];
export type Role = Schemas['ShownSession']['role'];

const HINTS: Readonly<Record<number, string>> = {
  0: 'Check the connection. The page asks again when the service answers.',
  401: 'Sign in again.',
  403: 'Your role or your merchants do not include this. Ask an administrator.',
  404: 'Check the identifier. The record may belong to a merchant that you do not see.',
  429: 'Wait a minute, then try again.',
  503: 'Nothing was changed. Try again in a moment.',
  504: 'Check the record first. Do not repeat the action with another key.',
};

/** An answer of the port that is not a success, or no answer at all. */
export class PortRefusal extends Error {
  override readonly name = 'PortRefusal';
  /** What to do next, if there is a general answer. */
  readonly hint: string | undefined;

  constructor(
    /** The HTTP status; 0 if the service did not answer. */
    readonly status: number,
    message: string,
    /** The code of the merchant API, if the answer has one. */
    readonly code?: string,
  ) {
    super(message);
    this.hint = HINTS[status];
  }

  /** True if an action may have taken effect nevertheless. */
  get isOutcomeUnknown(): boolean {
    return this.status === 504 || this.status === 0 || (this.status === 500 && this.code === undefined);
  }
}

let onSessionEnd: () => void = () => undefined;

/** Calls `listener` whenever the port says that nobody is signed in. */
export const whenSessionEnds = (listener: () => void): void => {
  onSessionEnd = listener;
};

/** The operator port. Paths, parameters and answers are checked against docs/openapi/operator.json by the compiler. */
export const port = createClient<paths, 'application/json'>({ baseUrl: location.origin, credentials: 'same-origin' });

/** Causes of the port that name a state, in words for people. Others are sentences already. */
const CAUSES: Readonly<Record<string, string>> = {
  'closed-before': 'The case is closed already',
  'decided-before': 'The proposal is decided already',
  'erased-before': 'It is erased already',
  'flight-not-over': 'The gate may still answer: the longest time of its call is not over',
  'not-approved': 'The proposal is not approved',
  'not-held': 'The order is not held',
  'not-parked': 'The stream is not parked',
  'nothing-new': 'This changes nothing',
  'nothing-to-apply': 'There is nothing to apply',
  'nothing-to-resolve': 'The outcome is not unknown',
  'order-moved': 'The order has changed meanwhile: load it again',
  'still-parked': 'The stream still cannot be read: remove the cause first',
  'takes-no-inquiries': 'The gate cannot be asked',
  'under-legal-hold': 'The order is under legal hold',
  'under-way': 'It is already under way',
  'unknown-case': 'There is no such case',
  'unknown-order': 'There is no such order, or the lists do not have it yet',
};

const refusalOf = (response: Response, body: unknown): PortRefusal => {
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown; code?: unknown };
  const message = typeof error === 'string' ? (CAUSES[error] ?? error) : `The service answered with HTTP ${response.status}`;
  return new PortRefusal(response.status, message, typeof code === 'string' || typeof code === 'number' ? String(code) : undefined);
};

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The body of a call's answer: `await answerOf(port.GET('/overview'))`.
 * @throws PortRefusal
 */
export const answerOf = async <T>(call: Promise<Answer<T>>): Promise<T> => {
  const answer = await call.catch((error: unknown) => {
    if (error instanceof TypeError) throw new PortRefusal(0, 'The service does not answer');
    throw error;
  });
  if (answer.response.ok) return answer.data as T;
  if (answer.response.status === 401) onSessionEnd();
  throw refusalOf(answer.response, answer.error);
};

/** A new key for one request that moves money. The same key again is the same request. Works on plain http, too. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
