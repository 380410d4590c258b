import { GROUP_A_ANSWERS, JSON_ANSWER_TYPE, parseFormAnswer, REFUSALS } from '@app/gateway-protocol';
import type { RawAnswer } from './keep-alive-socket';

const TYPES = new Set<string>([...Object.values(GROUP_A_ANSWERS), ...Object.values(REFUSALS)].map(({ type }) => type));
const OUR_STATUSES = new Set([200, 400, 403, 404, 405, 413, 415]);
/** Returned by the HTTP server before our code runs: malformed or too long request line or header, or an expectation. */
export const SERVER_STATUSES = new Set([400, 417, 431]);
const FORM = /^(?:[A-Za-z0-9_-]+=(?:[A-Za-z0-9*._+-]|%[0-9A-F]{2})*\n(?:&(?=.)|$))+$/;
const SERIAL = /^00000000-0000-0000-0000-[0-9a-f]{12}$/;
/** Codes for failed or unknown storage, which no request of a run may cause (protocol decisions, section 4). */
const CODES_OF_FAILURE = new Set(['20', '21', '99']);
/** Safety, T50: traces of source paths, dependencies and store queries. */
export const INSIDE =
  /\n\s+at |node_modules|[/\\](?:apps|libs|dist)[/\\]|\.(?:js|ts):\d|SQLITE|sqlite|\bselect .* from\b|\binsert into\b|Error:/;

const refusing = (said: string): never => {
  throw new Error(said);
};

const membersOf = (body: string): ReadonlyMap<string, string> => {
  const members = new Map(Object.entries(JSON.parse(body) as Record<string, unknown>));
  for (const value of members.values()) if (typeof value !== 'string') refusing('a JSON answer holds more than texts');
  return members as ReadonlyMap<string, string>;
};

const businessFieldsOf = (contentType: string | undefined, body: string): ReadonlyMap<string, string> => {
  if (contentType === JSON_ANSWER_TYPE) return membersOf(body);
  if (!FORM.test(body)) refusing('the body is no form as answers have it');
  return parseFormAnswer(body);
};

export type Outcome = string;

/**
 * Checks an answer against the interface, whatever the request was (interface, sections 4.1, 5.2 and 7.1; protocol decisions, sections 1 and 3).
 * @throws Error that names the fault
 */
export const outcomeOf = (route: string, { status, headers, body: bytes, surplus }: RawAnswer): Outcome => {
  const body = bytes.toString('utf8');
  const contentType = headers['content-type'];
  if (status === 0) return refusing('closed without an answer');
  if (surplus.length > 0) refusing('more than one answer');
  if (status >= 500) refusing(`status ${status}`);
  if (INSIDE.test(body)) refusing('tells what is inside');
  if (SERVER_STATUSES.has(status) && contentType === undefined) return body === '' ? String(status) : refusing('a body without a type');
  if (!OUR_STATUSES.has(status)) refusing(`status ${status}`);
  for (const [name, value] of [
    ['x-content-type-options', 'nosniff'],
    ['cache-control', 'no-store'],
  ] as const)
    if (headers[name] !== value) refusing(`${name} is ${headers[name]}`);
  if (headers['content-security-policy']?.includes("default-src 'none'") !== true) refusing('without its policy');

  const isOperation = /^v\d\//.test(route);
  if (!isOperation || (status !== 200 && status !== 413)) return String(status);
  const fields = businessFieldsOf(contentType, body);
  const type = fields.get('type') ?? '';
  const code = fields.get('error-code');
  if (!TYPES.has(type)) refusing(`type ${type}`);
  if (!SERIAL.test(fields.get('serial-number') ?? '')) refusing('without its serial-number');
  if (code !== undefined && CODES_OF_FAILURE.has(code)) refusing(`code ${code}`);
  if (type === 'validation-error' && (code === undefined || !fields.has('error-message'))) refusing('a refusal without its code');
  return type === 'validation-error' ? `code ${code}` : 'answered';
};
