import type { CallTrace } from '../contract';

/** One request to a gate. */
export interface GateRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, with a slash before it; encoded, and without a query. */
  readonly path: string;
  /** In wire order; encoded as a form is. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** The client itself sets host, length, encoding, connection and trace: a request that names one of these is malformed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Certain: no byte of the request was written, and none will be. */
export type NotSentCause =
  /** All connections are in use and as many calls wait as may. */
  | 'busy'
  /** The client was closed. */
  | 'closed'
  /** No connection: refused, reset, no route, or none within the time for it. */
  | 'unreachable'
  | 'name-not-resolved'
  /** The handshake failed, or the certificate is not the peer's. */
  | 'tls'
  /** The caller's signal. */
  | 'aborted'
  /** The call's time was over while it waited for a connection. */
  | 'timeout'
  /** The request cannot be written as HTTP. */
  | 'malformed-request';

/** The request may have arrived; its answer did not, or not as one. */
export type LostCause = 'timeout' | 'connection-lost' | 'malformed' | 'too-large';

/** How a call ended. Money depends on `not-sent`: what is said to be not sent may be sent again elsewhere. */
export type GateReply =
  | {
      readonly kind: 'answered';
      /** Any status of 200 or more, also that of a redirect, which is not followed. */
      readonly status: number;
      /** As it was sent, with its parameters. */
      readonly contentType: string | undefined;
      readonly body: string;
    }
  | { readonly kind: 'not-sent'; readonly cause: NotSentCause }
  | { readonly kind: 'lost'; readonly cause: LostCause };

/** A request as it is written. */
export interface EncodedRequest {
  readonly method: GateRequest['method'];
  /** With the path of the base URL, without the query. */
  readonly path: string;
  readonly query: string;
  /** Names and values in turn; names in lower case. */
  readonly headers: readonly string[];
  /** Becomes bytes only once there is a connection: a call that finds none costs little. */
  readonly body: string | undefined;
}

const USER_AGENT = 'payment-orchestrator';
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'traceparent',
]);
/** Visible ASCII without `?` and `#`: a query in the path would stand in transcripts. */
const PATH = /^\/[!"$->@-~]*$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;

const encodeHeaders = (given: Readonly<Record<string, string>>, trace: CallTrace | undefined): readonly string[] | undefined => {
  const headers = new Map<string, string>();
  for (const [givenName, value] of Object.entries(given)) {
    const name = givenName.toLowerCase();
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name) || headers.has(name) || !HEADER_VALUE.test(value)) return undefined;
    headers.set(name, value);
  }
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  headers.set('accept-encoding', 'identity');
  if (trace !== undefined) headers.set('traceparent', trace.traceparent);
  return [...headers].flat();
};

/** @returns undefined for a request that cannot be written as HTTP, or that names what is the client's to set */
export const encodeRequest = (
  { method, path, query = [], headers: given = {}, body }: GateRequest,
  pathPrefix: string,
  trace: CallTrace | undefined,
): EncodedRequest | undefined => {
  const headers = encodeHeaders(given, trace);
  if (headers === undefined || !PATH.test(path)) return undefined;
  return {
    method,
    path: `${pathPrefix}${path}`,
    query: new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString(),
    headers,
    body,
  };
};

/** The path and query of the request line. */
export const targetOf = ({ path, query }: EncodedRequest): string => (query === '' ? path : `${path}?${query}`);
