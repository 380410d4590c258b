import { hash } from 'node:crypto';
import { base32 } from './base32';
import type { StreamName } from './port';
import { lengthPrefixed } from './length-prefixed';

const CATEGORY = /^[a-zA-Z][a-zA-Z0-9]{0,63}$/;

/** @throws Error for a name that EventStoreDB would split differently: it takes the text before the first hyphen as the category. */
export const assertCategory = (category: string): void => {
  if (!CATEGORY.test(category)) throw new Error(`not a category: ${JSON.stringify(category)}`);
};

export const categoryOf = (stream: StreamName): string => {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
};

/** `<category>-<base32 of SHA-256 over the length-prefixed parts>`: the stream's name is the idempotency key (architecture, rule 1). */
export const streamName = (category: string, ...parts: readonly string[]): StreamName => {
  assertCategory(category);
  const text = parts.map(lengthPrefixed).join('');
  return `${category}-${base32(hash('sha256', text, 'buffer'))}` as StreamName;
};
