import type { ServerResponse } from 'node:http';
import { sendAnswer } from './http-answer';

const METHOD_NOT_ALLOWED = 405;

/** A path that is an operation, asked in another way (protocol decisions, section 1). */
export const methodNotAllowed = (response: ServerResponse, allowed: string): void => {
  response.setHeader('Allow', allowed);
  sendAnswer(response, { status: METHOD_NOT_ALLOWED, contentType: 'text/plain;charset=utf-8', body: 'Method Not Allowed\n' });
};
