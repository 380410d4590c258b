import { csvRecord } from '@app/reconciliation';

/** Increase it if a member is removed or changes its meaning, not if one is added (docs/audit.md). */
export const AUDIT_VERSION = 1;

export const AUDIT_FORMATS = ['json', 'ndjson', 'csv'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<AuditFormat, string>> = {
  json: 'application/json;charset=utf-8',
  ndjson: 'application/x-ndjson;charset=utf-8',
  csv: 'text/csv;charset=utf-8;header=present',
};

/** Nested values become JSON in a table cell. */
type Cell = string | number | boolean | object | null;
export type AuditRow = Readonly<Record<string, Cell>>;

/** A page's own data, only in JSON: the other formats contain nothing but rows. */
type PageFacts = Readonly<Record<string, Cell | undefined>>;

const cellText = (cell: Cell | undefined): string => {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

const csvOf = (columns: readonly string[], rows: readonly AuditRow[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))].map(csvRecord).join('');

/**
 * Rows in one of the formats. The version is a member of each object in JSON and NDJSON, and the first column in CSV.
 * @param name of the rows in JSON
 * @param columns in the order of the CSV
 */
export const inFormat = (
  format: AuditFormat,
  name: string,
  columns: readonly string[],
  rows: readonly AuditRow[],
  facts: PageFacts = {},
): string => {
  const versioned = rows.map((row) => ({ version: AUDIT_VERSION, ...row }));
  switch (format) {
    case 'json':
      return `${JSON.stringify({ version: AUDIT_VERSION, ...facts, [name]: rows })}\n`;
    case 'ndjson':
      return versioned.map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'csv':
      return csvOf(['version', ...columns], versioned);
  }
};
