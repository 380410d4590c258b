import { concealCardNumbers } from '@app/event-store';

/** Numbers by what they are, of which one in ten passes the check of a card number by chance, and an IMEI always: it would hide what is asked for. */
const NUMBERS: ReadonlySet<string> = new Set([
  'phone',
  'cellPhone',
  'imei',
  'serialNumber',
  'ipAddress',
  'ipAddresses',
  'latitude',
  'longitude',
]);

/** A text that was unsealed, for people: without what looks like a card number, which a payer may have typed into any of them. */
export const shownText = (name: string, text: string): string => (NUMBERS.has(name) ? text : concealCardNumbers(text));
