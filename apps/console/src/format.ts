export type Zone = 'utc' | 'local' | 'relative';

const NO_BREAK = '\u00a0';
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** An amount in major units, as the port gives it: `1234.5`, `EUR` becomes `1,234.50 EUR`. Never goes through a float. */
export const money = (amount: string, currency: string): string => {
  const found = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(amount);
  if (found === null) return `${amount}${NO_BREAK}${currency}`;
  const [, sign = '', whole = '', cents = ''] = found;
  return `${sign === '-' ? '−' : ''}${grouped(whole)}.${cents.padEnd(2, '0')}${NO_BREAK}${currency}`;
};

/** An amount in minor units, as events hold it: `8710`, `EUR` becomes `87.10 EUR`. */
export const minorMoney = (minor: bigint | string, currency: string): string => {
  const value = BigInt(minor);
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return money(`${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`, currency);
};

export const count = (value: number): string => (Number.isInteger(value) ? grouped(String(value)) : String(value));

/** One noun for one, another for the rest: `plural(2, 'order')` is `2 orders`. */
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)}${NO_BREAK}${value === 1 ? one : many}`;

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

const SECONDS_SHOWN_BELOW = 600;

/** A length of time in its two largest units, from ten minutes on without seconds: `3 d 4 h`, `12 min`, `2 min 5 s`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  let left = whole < SECONDS_SHOWN_BELOW ? whole : whole - (whole % 60);
  if (left === 0) return `0${NO_BREAK}s`;
  const parts: string[] = [];
  for (const [name, size] of UNITS) {
    const times = Math.floor(left / size);
    left -= times * size;
    if (times > 0) parts.push(`${times}${NO_BREAK}${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(NO_BREAK);
};

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-29 00:16:14 UTC`, with milliseconds on request; the local form ends with its offset. An invalid time is shown as it came. */
export const instant = (iso: string, zone: 'local' | 'utc' = 'utc', { withMs = false } = {}): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  if (zone === 'utc') {
    const text = at.toISOString();
    return `${text.slice(0, 10)}${NO_BREAK}${text.slice(11, withMs ? 23 : 19)}${NO_BREAK}UTC`;
  }
  const offset = -at.getTimezoneOffset();
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const ms = withMs ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : '';
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${ms}`;
  return `${day}${NO_BREAK}${clock}${NO_BREAK}${offset < 0 ? '−' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
};

/** `5 min ago`, `in 3 h`, `now`; one unit, the largest. */
export const relative = (iso: string, nowMs: number): string => {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  if (Number.isNaN(seconds)) return iso;
  const distance = Math.abs(seconds);
  if (distance < 5) return 'now';
  const [name, size] = UNITS.find(([, unit]) => distance >= unit) ?? ['s', 1];
  const text = `${Math.floor(distance / size)}${NO_BREAK}${name}`;
  return seconds < 0 ? `${text}${NO_BREAK}ago` : `in${NO_BREAK}${text}`;
};

/** The hour and minute in UTC or local time, for the axis of a chart. */
export const clockTime = (iso: string, zone: Zone): string =>
  zone === 'utc' ? iso.slice(11, 16) : `${two(new Date(iso).getHours())}:${two(new Date(iso).getMinutes())}`;

/** The name of an operator in an actor such as `operator:kim`; other actors are shown as they are. */
export const personOf = (actor: string): string => actor.replace(/^operator:/, '');

/** The time of a field of type `datetime-local`, in UTC or local time, as ISO 8601; undefined if it is no time. */
export const instantOfField = (text: string, zone: Zone): string | undefined => {
  const at = new Date(zone === 'local' ? text : `${text}Z`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** The opposite of `instantOfField`, to the second. */
export const fieldOfInstant = (iso: string, zone: Zone): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return instant(iso, zone === 'local' ? 'local' : 'utc')
    .slice(0, 19)
    .replace(NO_BREAK, 'T');
};
