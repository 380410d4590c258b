/** The whole file is refused. The message gives the place and the rule, never the value, which may be a card number. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';

  /** Absent for the file that is compared. */
  earlierFile?: string;

  /** @param line counts from 1; @param column name, or number if the header has no name; absent if the whole line is wrong */
  constructor(
    readonly line: number,
    readonly column: string | undefined,
    readonly must: string,
  ) {
    super(`line ${line}${column === undefined ? '' : `, column ${column}`}: ${must}`);
  }
}

const MARK = "'";
/** First character of a spreadsheet formula, also after blanks. Includes the mark itself, so that a written mark differs from an added one. */
const FORMULA = /^\s*[=+\-@'\uff0b\uff0d\uff1d\uff20]/;

/** Merchants choose client_orderid, and other companies open the file: `=HYPERLINK(…)` must stay text there. */
const withoutFormula = (field: string): string => (FORMULA.test(field) ? MARK + field : field);

/** Reverses `withoutFormula`; an apostrophe that marks nothing stays. */
const asWritten = (field: string): string => (field.startsWith(MARK) && FORMULA.test(field.slice(1)) ? field.slice(1) : field);

/** Cheap pre-check; it may give false positives. */
const mayHaveMarks = (record: string): boolean => record.includes(MARK);

/** As many digits as the shortest card number, with separators between them. */
const MANY_DIGITS = /\d(?:[\s\-./_,]{0,2}\d){11}/;
const BEYOND_ASCII = /[^\u0000-\u007f]/; // eslint-disable-line no-control-regex -- all of ASCII is meant
const DIGITS_MIN = 12;

/** Cheap pre-check without false negatives: most fields need no further check. */
export const mayHoldCardNumber = (field: string): boolean =>
  field.length >= DIGITS_MIN && (MANY_DIGITS.test(field) || BEYOND_ASCII.test(field));

/** A record and the line on which it begins. */
export interface CsvRow {
  /** Counts from 1, the header included. */
  readonly line: number;
  readonly fields: readonly string[];
}

export const CSV_RECORD_MAX = 16_384;
export const CSV_FIELD_MAX = 1_024;

const BOM = '\uFEFF';
const QUOTE = '"';
/** Control characters except line breaks: no text of a settlement file contains one. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/;
const LINE_BREAK = /\r\n|\n|\r/g;

/** Lines of spaces count as blank; a longer one is a faulty record. */
const isBlank = (record: string): boolean => record === '' || (record.startsWith(' ') && /^ {1,1024}$/.test(record));
const columnOf = (index: number): string => String(index + 1);

/**
 * Strict RFC 4180 reader for pieces of any length. Every record has as many fields as the first; lines end with CRLF or LF.
 * Skips empty lines and a leading byte order mark, and removes apostrophes that guard against formulas. Linear time; buffers at most one unfinished record.
 */
export class CsvReader {
  #rest = '';
  #line = 1;
  #width: number | undefined;
  #isBegun = false;

  get line(): number {
    return this.#line;
  }

  /** Records completed by the text. @throws CsvFault, after which the reader is unusable */
  push(text: string): readonly CsvRow[] {
    if (!this.#isBegun && text !== '') {
      this.#isBegun = true;
      if (text.startsWith(BOM)) return this.#read(text.slice(BOM.length));
    }
    return this.#read(text);
  }

  /** The last record, if the file does not end with a line break. @throws CsvFault */
  end(): readonly CsvRow[] {
    if (this.#rest === '') return [];
    const rows = this.#read('\n');
    if (this.#rest !== '') throw new CsvFault(this.#line, undefined, 'a quoted field must end');
    return rows;
  }

  #read(piece: string): readonly CsvRow[] {
    const text = this.#rest + piece;
    const rows: CsvRow[] = [];
    let at = 0;
    let quote = text.indexOf(QUOTE);
    for (;;) {
      if (quote >= 0 && quote < at) quote = text.indexOf(QUOTE, at);
      const next = this.#record(text, at, quote);
      if (next === undefined) break;
      if (next.row !== undefined) rows.push(next.row);
      this.#line += next.lines;
      at = next.end;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > CSV_RECORD_MAX) throw new CsvFault(this.#line, undefined, `must have at most ${CSV_RECORD_MAX} characters`);
    return rows;
  }

  /** Undefined if the record continues beyond the text. */
  #record(
    text: string,
    from: number,
    quote: number,
  ): { readonly row: CsvRow | undefined; readonly end: number; readonly lines: number } | undefined {
    const newline = text.indexOf('\n', from);
    if (newline < 0) return undefined;
    if (quote >= 0 && quote < newline) return this.#quoted(text, from);
    const record = text.slice(from, newline > from && text[newline - 1] === '\r' ? newline - 1 : newline);
    return { row: isBlank(record) ? undefined : this.#row(record.split(','), record), end: newline + 1, lines: 1 };
  }

  #quoted(text: string, from: number): { readonly row: CsvRow; readonly end: number; readonly lines: number } | undefined {
    const fields: string[] = [];
    let at = from;
    for (;;) {
      const isQuoted = text[at] === QUOTE;
      const end = isQuoted ? this.#endOfQuoted(text, at, fields.length) : this.#endOfPlain(text, at, fields.length);
      if (end === undefined) return undefined;
      fields.push(isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', QUOTE) : text.slice(at, end));
      if (text[end] === ',') {
        at = end + 1;
        continue;
      }
      const after = text[end] === '\r' ? end + 1 : end;
      if (after >= text.length) return undefined;
      if (text[after] !== '\n')
        throw new CsvFault(this.#line, columnOf(fields.length - 1), 'a quoted field must end at a comma or a line break');
      const record = text.slice(from, end);
      return { row: this.#row(fields, record), end: after + 1, lines: 1 + (record.match(LINE_BREAK)?.length ?? 0) };
    }
  }

  /** Index after the closing quote. */
  #endOfQuoted(text: string, from: number, column: number): number | undefined {
    for (let at = from + 1; ; at += 2) {
      at = text.indexOf(QUOTE, at);
      if (at < 0 || at - from > CSV_RECORD_MAX) {
        if (at >= 0 || text.length - from > CSV_RECORD_MAX)
          throw new CsvFault(this.#line, columnOf(column), `must have at most ${CSV_FIELD_MAX} characters`);
        return undefined;
      }
      if (at + 1 >= text.length) return undefined;
      if (text[at + 1] !== QUOTE) return at + 1;
    }
  }

  #endOfPlain(text: string, from: number, column: number): number | undefined {
    for (let at = from; at < text.length; at++) {
      const character = text[at];
      if (character === ',' || character === '\n' || (character === '\r' && text[at + 1] === '\n')) return at;
      if (character === QUOTE)
        throw new CsvFault(this.#line, columnOf(column), 'a quote must stand at both ends of a field, or doubled in a quoted one');
    }
    return undefined;
  }

  #row(fields: readonly string[], record: string): CsvRow {
    if (record.length > CSV_RECORD_MAX) throw new CsvFault(this.#line, undefined, `must have at most ${CSV_RECORD_MAX} characters`);
    this.#width ??= fields.length;
    if (fields.length !== this.#width) throw new CsvFault(this.#line, undefined, `must have ${this.#width} fields, not ${fields.length}`);
    if (record.includes('\r') || CONTROL.test(record)) this.#refuseControl(fields);
    if (record.length > CSV_FIELD_MAX) {
      const long = fields.findIndex((field) => field.length > CSV_FIELD_MAX);
      if (long >= 0) throw new CsvFault(this.#line, columnOf(long), `must have at most ${CSV_FIELD_MAX} characters`);
    }
    return { line: this.#line, fields: mayHaveMarks(record) ? fields.map(asWritten) : fields };
  }

  /** A quoted field may contain line breaks. A single carriage return and other control characters are never allowed. */
  #refuseControl(fields: readonly string[]): void {
    const index = fields.findIndex((field) => CONTROL.test(field) || field.replaceAll('\r\n', '').includes('\r'));
    if (index >= 0) throw new CsvFault(this.#line, columnOf(index), 'must have no control character');
  }
}

const NEEDS_QUOTES = /[",\r\n]/;

const quoted = (field: string): string => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** One record by RFC 4180, with its line break. `CsvReader` reads it back; spreadsheets treat no field as a formula. */
export const csvRecord = (fields: readonly string[]): string => `${fields.map((field) => quoted(withoutFormula(field))).join(',')}\r\n`;
