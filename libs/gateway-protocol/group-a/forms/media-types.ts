import { malformed, type MalformedForm } from './form-codec';
import { fieldsOf, type MessageClass } from '../../shared/validation/message-fields';

export const FORM_REQUEST_TYPE = 'application/x-www-form-urlencoded';
export const FORM_ANSWER_TYPE = 'text/html;charset=utf-8';
export const JSON_ANSWER_TYPE = 'application/vnd.pay+json';

const UTF8_NAMES = new Set(['utf-8', 'utf8', 'us-ascii']);
const NO_WEIGHT = /^q=0(\.0{0,3})?$/;

const partsOf = (headerItem: string): string[] => headerItem.split(';').map((part) => part.trim().toLowerCase());

/** Requires our JSON type with a weight above zero. A wildcard gets the form. */
export const wantsJson = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.split(',').some((item) => {
    const [type, ...parameters] = partsOf(item);
    return type === JSON_ANSWER_TYPE && !parameters.some((parameter) => NO_WEIGHT.test(parameter));
  });

/** Undefined for a form in UTF-8; else the refusal (protocol decisions, section 3). */
export const contentTypeRefusal = (contentType: string | undefined): MalformedForm | undefined => {
  const [type, ...parameters] = partsOf(contentType ?? '');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isReadable = charset === undefined || UTF8_NAMES.has(charset.replace(/^"(.*)"$/, '$1'));
  if (type !== FORM_REQUEST_TYPE) return malformed('wrong-content-type');
  return isReadable ? undefined : malformed('wrong-charset');
};

/** A larger body gets 413 (protocol decisions, section 3). */
export const FORM_BYTES_MAX = 1_048_576;
/** For messages without long fields: all fields at full length, with twelve bytes per character. */
export const SHORT_FORM_BYTES_MAX = 8_192;
const LONG_FIELDS: ReadonlySet<string> = new Set(['order_desc', 'merchant_data']);

export const formBytesMax = (Message: MessageClass): number =>
  fieldsOf(Message).some(({ name }) => LONG_FIELDS.has(name)) ? FORM_BYTES_MAX : SHORT_FORM_BYTES_MAX;

const KIB = 1_024;
const MIB = 1_048_576;

export const inKib = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);
