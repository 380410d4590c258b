import { MERCHANT_CAUSES, PERFORM_CAUSES, STATUS_CAUSES, type DeviceErrorCause } from '@app/gateway-protocol';
import { INSIDE, SERVER_STATUSES, type Outcome } from './answer-faults';
import type { RawAnswer } from './keep-alive-socket';

const STATUSES: Readonly<Record<'gateway' | 'server', ReadonlySet<number>>> = {
  gateway: new Set([200, 400, 404, 405, 413]),
  server: new Set([200, 400, 403, 404, 405, 413]),
};
const OF_FAILURE: ReadonlySet<string> = new Set<DeviceErrorCause>([
  'INTERNAL_ERROR',
  'INVALID_CONFIGURATION',
  'SERVER_FAILED',
  'SERVER_UNAVAILABLE',
]);
const CODE = /^\d{16}$/;

const refusing = (said: string): never => {
  throw new Error(said);
};

const causesOf = (side: 'gateway' | 'server', route: string): readonly string[] => {
  if (side === 'server') return MERCHANT_CAUSES;
  return route.startsWith('status') ? STATUS_CAUSES : PERFORM_CAUSES;
};

/**
 * Checks an answer of either server against the interface (sections 2.6 and 7.2).
 * @returns the HTTP status, the cause, or `answered`
 */
export const deviceOutcomeOf =
  (side: 'gateway' | 'server', isCodeNew: (code: string) => boolean) =>
  (route: string, { status, headers, body: bytes, surplus }: RawAnswer): Outcome => {
    const body = bytes.toString('utf8');
    const contentType = headers['content-type'] ?? '';
    if (status === 0) return refusing('closed without an answer');
    if (surplus.length > 0) refusing('more than one answer');
    if (INSIDE.test(body)) refusing('tells what is inside');
    if (SERVER_STATUSES.has(status) && contentType === '') return body === '' ? String(status) : refusing('a body without a type');
    if (!STATUSES[side].has(status)) refusing(`status ${status}`);
    if (headers['x-content-type-options'] !== 'nosniff' || headers['cache-control'] !== 'no-store') refusing('without nosniff or no-store');
    if (status === 403 && body !== '') refusing('a 403 with a body');
    if (!contentType.startsWith('application/json') || body === '')
      return status === 200 ? refusing(`200 of ${contentType}`) : String(status);
    const { error } = JSON.parse(body) as { error?: { cause: string; code: string; message: string } };
    if (error === undefined) return status === 200 ? 'answered' : refusing(`${status} without an error`);
    if (!causesOf(side, route).includes(error.cause) || OF_FAILURE.has(error.cause)) refusing(`cause ${error.cause}`);
    if (!CODE.test(error.code) || !isCodeNew(error.code)) refusing(`code ${error.code}`);
    if (typeof error.message !== 'string' || error.message === '') refusing('without a message');
    return error.cause;
  };
