import { encodeComponent } from './form-codec';
import { trimmedEnd } from '../../shared/request-texts';
import { FORM_ANSWER_TYPE, JSON_ANSWER_TYPE, wantsJson } from './media-types';

/** In wire order; fields without a value are omitted (protocol decisions, section 2). */
export type AnswerPairs = Iterable<readonly [name: string, value: string | undefined]>;

export interface AnswerBody {
  readonly contentType: string;
  readonly body: string;
}

/**
 * `key=value` joined by `&`, with a newline after each value (protocol decisions, section 3). The only writer of bodies
 * (safety, T21).
 */
export const writeFormAnswer = (pairs: AnswerPairs): string => {
  let body = '';
  for (const [name, value] of pairs) {
    if (value !== undefined) body += `${body === '' ? '' : '&'}${encodeComponent(name)}=${encodeComponent(value)}\n`;
  }
  return body;
};

export const writeJsonAnswer = (pairs: AnswerPairs): string => {
  const members = new Map<string, string>();
  for (const [name, value] of pairs) if (value !== undefined) members.set(name, value);
  // JSON.stringify would move numeric names to the front.
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
};

export const writeAnswer = (accept: string | undefined, pairs: AnswerPairs): AnswerBody =>
  wantsJson(accept)
    ? { contentType: JSON_ANSWER_TYPE, body: writeJsonAnswer(pairs) }
    : { contentType: FORM_ANSWER_TYPE, body: writeFormAnswer(pairs) };

/** For clients. Lenient: trailing white space is dropped, and the first of duplicate keys wins. */
export const parseFormAnswer = (body: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) if (!values.has(name)) values.set(name, trimmedEnd(value));
  return values;
};
