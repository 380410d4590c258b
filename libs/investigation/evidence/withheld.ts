import type { Json } from './evidence';

/** Members by which a card could be charged (`docs/event-catalogue.md`). */
const CHARGES_CARD: ReadonlySet<string> = new Set(['token', 'cardToken', 'networkTransactionId']);

export const WITHHELD = '[withheld]';

const isRecord = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const conceal = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => conceal(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, CHARGES_CARD.has(name) && member !== null ? WITHHELD : conceal(member)]),
  );
};

/**
 * The data of an event without what a card could be charged by; undefined where it has none. A pack leaves the house, and such an event goes with the
 * digest of its data, which its leaf binds.
 */
export const withheldData = (data: string): Json | undefined => {
  const whole = JSON.parse(data) as Json;
  const concealed = conceal(whole);
  return JSON.stringify(concealed) === JSON.stringify(whole) ? undefined : concealed;
};
