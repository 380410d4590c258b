import type { ServerResponse } from 'node:http';

/** On every answer of ours: nothing is guessed, kept or framed (safety, T21). */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  // Less than the server keeps it: who uses a connection for as long as he was told never meets its end.
  'Keep-Alive': 'timeout=4',
};
const NOTHING_ALLOWED = "default-src 'none'";

const REQUEST_ID = 'X-Request-Id';

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly policy?: string;
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What logs name the request by; absent where it got no name, or shall not be told it. */
  readonly requestId?: string | undefined;
}

/** Writes one answer; a client that has gone away is not our failure. */
export const sendAnswer = (response: ServerResponse, { status, contentType, body, policy, headers: own, requestId }: HttpAnswer): void => {
  if (response.headersSent || response.destroyed) return;
  const headers: Record<string, string | number> = {
    ...own,
    'Content-Security-Policy': policy ?? NOTHING_ALLOWED,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    ...COMMON_HEADERS,
  };
  if (requestId !== undefined) headers[REQUEST_ID] = requestId;
  response.writeHead(status, headers);
  response.end(body);
};

export const HTML_TYPE = 'text/html;charset=utf-8';
