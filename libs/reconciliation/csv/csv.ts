/** A file that is refused as a whole. The message says where and what must be, and never what stands there: it may be a card number. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';

  /** Absent for the file that is compared. */
  earlierFile?: string;

  /** @param line counts from 1; @param column its name, or its number where the header names none; absent where the line as a whole is meant */
  constructor(
    readonly line: number,
    readonly column: string | undefined,
    readonly must: string,
  ) {
    super(`line ${line}${column === undefined ? '' : `, column ${column}`}: ${must}`);
  }
}

const MARK = "'";
/** What a spreadsheet takes for the beginning of a formula, after blanks too; and the mark itself, so that it can be told from one that was set. */
const FORMULA = /^\s*[=+\-@'\uff0b\uff0d\uff1d\uff20]/;

/** A client_orderid is a merchant's to choose, and the file is opened by people at another company: `=HYPERLINK(…)` must stay a text there. */
const withoutFormula = (field: string): string => (FORMULA.test(field) ? MARK + field : field);

/** What the field was before `withoutFormula`; an apostrophe that marks nothing stays. */
const asWritten = (field: string): string => (field.startsWith(MARK) && FORMULA.test(field.slice(1)) ? field.slice(1) : field);

/** Cheap, and true for every record with a mark: nearly all have none. */
const mayHaveMarks = (record: string): boolean => record.includes(MARK);

/** As many digits as a card number has at least, with what may part them. */
const MANY_DIGITS = /\d(?:[\s\-./_,]{0,2}\d){11}/;
/** Other scripts have digits and dashes of their own. */
const BEYOND_ASCII = /[^\u0000-\u007f]/; // eslint-disable-line no-control-regex -- all of ASCII is meant
const DIGITS_MIN = 12;

/** Cheap, and true for every field that may hold a card number: most fields need no closer look. */
export const mayHoldCardNumber = (field: string): boolean =>
  field.length >= DIGITS_MIN && (MANY_DIGITS.test(field) || BEYOND_ASCII.test(field));

/** A record of a file, with the line on which it begins. */
export interface CsvRow {
  /** Counts from 1, the header included. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** The longest record in characters, quotes and line breaks included. */
export const CSV_RECORD_MAX = 16_384;
/** The longest field in characters. */
export const CSV_FIELD_MAX = 1_024;

const BOM = '\uFEFF';
const QUOTE = '"';
/** Control characters but line breaks: no text of a settlement file has one. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/;
const LINE_BREAK = /\r\n|\n|\r/g;

/** Spaces too; anything longer than a line of them is a record with a fault. */
const isBlank = (record: string): boolean => record === '' || (record.startsWith(' ') && /^ {1,1024}$/.test(record));
const columnOf = (index: number): string => String(index + 1);

/**
 * Reads comma-separated values strictly by RFC 4180, from pieces of any length: a quote stands only at both ends of a field or doubled inside it, every
 * record has as many fields as the first, and a line ends with CRLF or LF. An empty line is passed over, as is a byte order mark at the very beginning,
 * and an apostrophe that keeps a field from being a formula is taken off. It takes linear time, and
 * keeps no more than one unfinished record.
 */
export class CsvReader {
  #rest = '';
  #line = 1;
  #width: number | undefined;
  #isBegun = false;

  /** The line on which the next record begins. */
  get line(): number {
    return this.#line;
  }

  /** The records that the text completes. @throws CsvFault, after which the reader is of no use */
  push(text: string): readonly CsvRow[] {
    if (!this.#isBegun && text !== '') {
      this.#isBegun = true;
      if (text.startsWith(BOM)) return this.#read(text.slice(BOM.length));
    }
    return this.#read(text);
  }

  /** The last record, where the file does not end with a line break. @throws CsvFault */
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
      // Looked for once, not once a record: most files have no quotes at all.
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

  /** Undefined where the record goes on beyond the text. */
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

  /** The place behind the closing quote. */
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

  /** A line break may stand in a quoted field; a carriage return by itself and other control characters nowhere. */
  #refuseControl(fields: readonly string[]): void {
    const index = fields.findIndex((field) => CONTROL.test(field) || field.replaceAll('\r\n', '').includes('\r'));
    if (index >= 0) throw new CsvFault(this.#line, columnOf(index), 'must have no control character');
  }
}

const NEEDS_QUOTES = /[",\r\n]/;

const quoted = (field: string): string => (NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** One record by RFC 4180, with its line break. `CsvReader` reads it back; in a spreadsheet no field is a formula. */
export const csvRecord = (fields: readonly string[]): string => `${fields.map((field) => quoted(withoutFormula(field))).join(',')}\r\n`;
