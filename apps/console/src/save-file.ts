export type FileFormat = 'csv' | 'ndjson';

const TYPES: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Gives a file to the person. */
export const saveBlob = (name: string, blob: Blob): void => {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

/** Gives a text to the person as a file: `orders-20261129T010203Z.csv`. */
export const saveFile = (name: string, format: FileFormat, text: string): void =>
  saveBlob(`${name}-${stampOf(new Date())}.${format}`, new Blob([text], { type: TYPES[format] }));

type Cell = boolean | number | string | null | undefined;

/** A spreadsheet would calculate a text that begins like a formula. */
const cellText = (cell: Cell): string => {
  const text = String(cell ?? '');
  const safe = typeof cell === 'string' && /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The columns of rows as CSV with a head (RFC 4180). */
export const csvOf = <Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column] as Cell))]
    .map((record) => `${record.map(cellText).join(',')}\r\n`)
    .join('');

/** Rows as JSON, one a line. */
export const ndjsonOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** The time of now for the name of a file: `20261129T010203Z`. */
export const stampOf = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Pages of the port as one text. Of pages of CSV only the first keeps its head. */
export const joinedPages = (format: FileFormat, pages: readonly string[]): string =>
  pages.map((page, index) => (format === 'csv' && index > 0 ? page.slice(page.indexOf('\n') + 1) : page)).join('');
