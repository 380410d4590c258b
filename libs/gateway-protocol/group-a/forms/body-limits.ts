import { fieldsOf, type MessageClass } from '../../shared/validation/message-fields';

/** A larger body is answered with 413 (protocol decisions, section 3). */
export const FORM_BYTES_MAX = 1_048_576;
/** Limit of a message of identifiers, amounts and short texts: with every field at its greatest length, each of its characters takes twelve bytes at most. */
export const SHORT_FORM_BYTES_MAX = 8_192;
/** Fields of up to 65,536 bytes (interface, section 2.4). */
const LONG_FIELDS: ReadonlySet<string> = new Set(['order_desc', 'merchant_data']);

/** How many bytes a body may have that holds a message of the class; known before its sender is. */
export const formBytesMax = (Message: MessageClass): number =>
  fieldsOf(Message).some(({ name }) => LONG_FIELDS.has(name)) ? FORM_BYTES_MAX : SHORT_FORM_BYTES_MAX;

const KIB = 1_024;
const MIB = 1_048_576;

/** A limit as people say it: `8 KiB`, `1 MiB`. */
export const inKib = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);
