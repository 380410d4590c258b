import type { ServerResponse } from 'node:http';

/** On every answer of ours: nothing is guessed, kept or framed (safety, T21). */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};
const NOTHING_ALLOWED = "default-src 'none'";

/** Writes one answer; a client that has gone away is not our failure. */
export const sendAnswer = (
  response: ServerResponse,
  {
    status,
    contentType,
    body,
    policy,
  }: { readonly status: number; readonly contentType: string; readonly body: string; readonly policy?: string },
): void => {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'Content-Security-Policy': policy ?? NOTHING_ALLOWED,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    ...COMMON_HEADERS,
  });
  response.end(body);
};

export const HTML_TYPE = 'text/html;charset=utf-8';
