import type { FieldRefusal } from '../shared/validation/message-fields';

/** As Node writes header names. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** Characters of a key (protocol decisions, section 10). */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

const PRINTABLE_ASCII = /^[ -~]*$/;
/** RFC 8941, section 3.3.3: a quote or a backslash within stands behind a backslash. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;
const ESCAPE = /\\(["\\])/g;

const unquoted = (text: string): string | undefined => (text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(ESCAPE, '$1') : text);

/**
 * The key of a request, quoted or bare, which is the same key (protocol decisions, section 10).
 * @param sent each time that the header was sent
 */
export const readIdempotencyKey = (sent: readonly string[]): { readonly ok: string } | { readonly refused: FieldRefusal } => {
  const [text, ...more] = sent;
  const key = text === undefined || more.length > 0 || !PRINTABLE_ASCII.test(text) ? undefined : unquoted(text);
  if (key !== undefined && key !== '' && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX) return { ok: key };
  const message = `Idempotency-Key must be sent once, with 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} printable ASCII characters`;
  return { refused: { field: 'Idempotency-Key', message } };
};
