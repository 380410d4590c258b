import type { CallTrace } from '../contract';

export interface GateRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Encoded, below the base URL, with a leading slash and without a query. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** The client sets host, length, encoding, connection and trace. A request with one of these is malformed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Certain: no byte was written or will be. */
export type NotSentCause =
  /** All connections are in use and the queue is full. */
  | 'busy'
  | 'closed'
  /** No connection: refused, reset, no route, or the connection limit elapsed. */
  | 'unreachable'
  | 'name-not-resolved'
  | 'tls'
  | 'aborted'
  | 'timeout'
  | 'malformed-request';

/** The request may have arrived, but no valid answer did. */
export type LostCause = 'timeout' | 'connection-lost' | 'malformed' | 'too-large';

/** Money depends on `not-sent`: such a request may be sent elsewhere. */
export type GateReply =
  | {
      readonly kind: 'answered';
      /** 200 or more. Redirects are returned, not followed. */
      readonly status: number;
      readonly contentType: string | undefined;
      readonly body: string;
    }
  | { readonly kind: 'not-sent'; readonly cause: NotSentCause }
  | { readonly kind: 'lost'; readonly cause: LostCause };

export interface EncodedRequest {
  readonly method: GateRequest['method'];
  readonly path: string;
  readonly query: string;
  /** Alternating names and values; names in lower case. */
  readonly headers: readonly string[];
  /** Encoded only after a connection is available, so that a call without one costs little. */
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
/** Visible ASCII without `?` and `#`: a query in the path would leak into transcripts. */
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

export const targetOf = ({ path, query }: EncodedRequest): string => (query === '' ? path : `${path}?${query}`);
