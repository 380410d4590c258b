import { INSIDE, SERVER_STATUSES, type Outcome } from './answer-faults';
import type { RawAnswer } from './keep-alive-socket';

const STATUSES = new Set([200, 202, 400, 401, 403, 404, 405, 409, 413, 415]);
const FILES = /docs\/:file$/;

const refusing = (said: string): never => {
  throw new Error(said);
};

/**
 * @returns the HTTP status
 * @throws Error that names the fault
 */
export const operatorOutcomeOf = (route: string, { status, headers, body: bytes, surplus }: RawAnswer): Outcome => {
  const body = bytes.toString('utf8');
  const contentType = headers['content-type'];
  if (status === 0) return refusing('closed without an answer');
  if (surplus.length > 0) refusing('more than one answer');
  if (SERVER_STATUSES.has(status) && contentType === undefined) return body === '' ? String(status) : refusing('a body without a type');
  if (!STATUSES.has(status)) refusing(`status ${status}`);
  if (!FILES.test(route) && INSIDE.test(body)) refusing('tells what is inside');
  if (headers['x-content-type-options'] !== 'nosniff') refusing('without nosniff');
  if (headers['cache-control'] !== 'no-store') refusing('without no-store');
  if (contentType?.startsWith('application/json') === true && body !== '') JSON.parse(body);
  return String(status);
};
