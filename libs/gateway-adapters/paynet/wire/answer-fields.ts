import { parseFormAnswer, trimmed } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';

/** The fields of one answer by the interface's names (sections 2.2 to 2.5), trimmed. */
export type AnswerFields = ReadonlyMap<string, string>;

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

/** The interface's name takes precedence over an alias, and the first occurrence over later ones. */
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

/** Undefined for nested values: the interface has none. */
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
    // Larger integers lose precision.
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    pairs.push([name, String(value)]);
  }
  return pairs;
};

/**
 * Reads a form or a flat JSON object and ignores the HTTP status and the content type. Undefined for anything else, such as a proxy's HTML
 * page.
 */
export const readAnswer = (body: string): AnswerFields | undefined => {
  const text = trimmed(body);
  if (text === '' || text.startsWith('<')) return undefined;
  const pairs = text.startsWith('{') ? readFlatJson(text) : parseFormAnswer(text);
  if (pairs === undefined) return undefined;
  const fields = underOwnNames(pairs);
  return fields.has('type') || fields.has('status') ? fields : undefined;
};

const FORM = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?: ?([A-Z]{1,5}|[+-]\d{2}:?\d{2}))?$/;
const MINUTE_MS = 60_000;
/** Minutes of offset, only for abbreviations that mean the same everywhere. */
const ZONES: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, MSK: 180, CET: 60, CEST: 120, EET: 120, EEST: 180 };

const offsetMinutes = (zone: string): number | undefined => {
  if (Object.hasOwn(ZONES, zone)) return ZONES[zone];
  if (!/^[+-]/.test(zone)) return undefined;
  const digits = zone.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return digits.startsWith('-') ? -minutes : minutes;
};

/**
 * `transaction-date` and `paynet-processing-date`: `YYYY-MM-DD HH:mm:ss ZZZ`, by default UTC (protocol decisions, section 2). Undefined for
 * invalid dates.
 */
export const readUpstreamDate = (text: string | undefined): Instant | undefined => {
  const found = text === undefined ? null : FORM.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, zone = 'UTC'] = found;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
  const at = Date.UTC(y, mo - 1, d, h, mi, s);
  // Date.UTC turns the 31st of February into the 3rd of March.
  if (Number.isNaN(at) || new Date(at).getUTCDate() !== d || new Date(at).getUTCMonth() !== mo - 1 || h > 23 || mi > 59 || s > 60)
    return undefined;
  return (at - offset * MINUTE_MS) as Instant;
};
