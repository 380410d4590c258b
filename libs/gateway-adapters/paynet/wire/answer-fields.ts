import { parseFormAnswer, trimmed } from '@app/gateway-protocol';

/** The fields of one answer under the names of the interface (sections 2.2 to 2.5), without white space at their ends. */
export type AnswerFields = ReadonlyMap<string, string>;

/** What gateways of the family call the same field in other answers, callbacks and releases, by the interface's name. */
const ALIASES: Readonly<Record<string, string>> = {
  orderid: 'paynet-order-id',
  'order-id': 'paynet-order-id',
  'client-orderid': 'merchant-order-id',
  'client-order-id': 'merchant-order-id',
  'merchant-order': 'merchant-order-id',
  'serial-no': 'serial-number',
  'card-recurring-payment-id': 'card-ref-id',
  'recurring-payment-id': 'card-ref-id',
  cardrefid: 'card-ref-id',
  'dst-card-ref-id': 'destination-card-ref-id',
  'destination-card-recurring-payment-id': 'destination-card-ref-id',
  'processor-transaction-id': 'processor-tx-id',
  rrn: 'processor-rrn',
};

const canonical = (name: string): string => {
  const plain = name.trim().toLowerCase().replaceAll('_', '-');
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] ?? plain) : plain;
};

/** The interface's own name goes before an alias, and of one name given twice the first counts. */
export const underOwnNames = (pairs: Iterable<readonly [string, string]>): AnswerFields => {
  const own = new Map<string, string>();
  const aliases = new Map<string, string>();
  for (const [name, value] of pairs) {
    const known = canonical(name);
    const fields = known === name.trim().toLowerCase() ? own : aliases;
    const text = trimmed(value);
    if (text !== '' && !fields.has(known)) fields.set(known, text);
  }
  return new Map([...aliases, ...own]);
};

/** A flat object of texts, numbers and truth values; anything deeper is no answer of this interface. */
export const readFlatJson = (body: string): readonly (readonly [string, string])[] | undefined => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (value === null) continue;
    // A whole number beyond this is no longer the one that was sent.
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    pairs.push([name, String(value)]);
  }
  return pairs;
};

/**
 * Reads an answer of an upstream gateway, whatever its HTTP status and content type say: a form or a flat JSON object. Undefined for what is neither,
 * as an empty body and the HTML page of a proxy.
 */
export const readAnswer = (body: string): AnswerFields | undefined => {
  const text = trimmed(body);
  if (text === '' || text.startsWith('<')) return undefined;
  const pairs = text.startsWith('{') ? readFlatJson(text) : parseFormAnswer(text);
  if (pairs === undefined) return undefined;
  const fields = underOwnNames(pairs);
  return fields.has('type') || fields.has('status') ? fields : undefined;
};
