const NEEDS_QUOTES = /[",\r\n]/;

const fieldText = (field: string): string => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** One record by RFC 4180, with its line break. */
export const csvRecord = (fields: readonly string[]): string => `${fields.map(fieldText).join(',')}\r\n`;
