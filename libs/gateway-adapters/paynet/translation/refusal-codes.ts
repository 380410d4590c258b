import type { AnswerFields } from '../wire/answer-fields';

/** What a refusal code of the upstream gateway can mean for the order that the request was about. */
export const REFUSAL_MEANINGS = ['declined', 'not-accepted', 'not-found', 'unknown'] as const;
export type RefusalMeaning = (typeof REFUSAL_MEANINGS)[number];

/** The interface has no catalogue of codes, so that the gate's settings say what those of its upstream gateway mean (protocol decisions, section 12). */
export type RefusalCodes = Readonly<Record<string, RefusalMeaning>>;

/** Undefined for a code without an entry, and where the answer has none. */
export const meaningOf = (fields: AnswerFields, codes: RefusalCodes): RefusalMeaning | undefined => {
  const code = fields.get('error-code') ?? '';
  return Object.hasOwn(codes, code) ? codes[code] : undefined;
};
