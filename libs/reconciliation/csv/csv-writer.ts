import { withoutFormula } from './formula-mark';

const NEEDS_QUOTES = /[",\r\n]/;

const quoted = (field: string): string => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** One record by RFC 4180, with its line break. `CsvReader` reads it back; in a spreadsheet no field is a formula. */
export const csvRecord = (fields: readonly string[]): string => `${fields.map((field) => quoted(withoutFormula(field))).join(',')}\r\n`;
