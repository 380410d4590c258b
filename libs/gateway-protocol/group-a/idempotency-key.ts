import type { FieldRefusal } from '../shared/validation/message-fields';

export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

const PRINTABLE_ASCII = /^[ -~]*$/;
/** RFC 8941, section 3.3.3: quotes and backslashes are escaped. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;
const ESCAPE = /\\(["\\])/g;

const unquoted = (text: string): string | undefined => (text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(ESCAPE, '$1') : text);

/**
 * Quoted and bare spellings are the same key (protocol decisions, section 10).
 * @param sent all values of the header
 */
export const readIdempotencyKey = (sent: readonly string[]): { readonly ok: string } | { readonly refused: FieldRefusal } => {
  const [text, ...more] = sent;
  const key = text === undefined || more.length > 0 || !PRINTABLE_ASCII.test(text) ? undefined : unquoted(text);
  if (key !== undefined && key !== '' && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX) return { ok: key };
  const message = `Idempotency-Key must be sent once, with 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} printable ASCII characters`;
  return { refused: { field: 'Idempotency-Key', message } };
};
