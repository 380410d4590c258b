import { encodeComponent } from './form-codec';
import { trimmedEnd } from '../../shared/request-texts';
import { FORM_ANSWER_TYPE, JSON_ANSWER_TYPE, wantsJson } from './media-types';

/** Fields of an answer in wire order; one without a value is left out (protocol decisions, section 2). */
export type AnswerPairs = Iterable<readonly [name: string, value: string | undefined]>;

export interface AnswerBody {
  readonly contentType: string;
  readonly body: string;
}

/** `key=value` joined by `&`, a newline after each value, the last too (protocol decisions, section 3). The only writer of bodies (safety, T21). */
export const writeFormAnswer = (pairs: AnswerPairs): string => {
  let body = '';
  for (const [name, value] of pairs) {
    if (value !== undefined) body += `${body === '' ? '' : '&'}${encodeComponent(name)}=${encodeComponent(value)}\n`;
  }
  return body;
};

/** The same data as one flat JSON object of strings. */
export const writeJsonAnswer = (pairs: AnswerPairs): string => {
  const members = new Map<string, string>();
  for (const [name, value] of pairs) if (value !== undefined) members.set(name, value);
  // Written member by member: as properties of an object, names that are digits would go before all others.
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
};

/** Form or JSON, as the request's Accept header asks. */
export const writeAnswer = (accept: string | undefined, pairs: AnswerPairs): AnswerBody =>
  wantsJson(accept)
    ? { contentType: JSON_ANSWER_TYPE, body: writeJsonAnswer(pairs) }
    : { contentType: FORM_ANSWER_TYPE, body: writeFormAnswer(pairs) };

/** A client's reader: lenient in encoding, white space at the end of each value dropped; of a key given twice the first counts. */
export const parseFormAnswer = (body: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) if (!values.has(name)) values.set(name, trimmedEnd(value));
  return values;
};
