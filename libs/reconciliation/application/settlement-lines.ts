import { isAscii } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';
import type { SettlementFault, SettlementFormat } from '@app/gateway-adapters/contract';
import { CsvFault, CsvReader, type CsvRow, mayHoldCardNumber } from '../csv/csv';
import type { NumberedLine } from '../domain/compare';

const ASCII_MAX = 0x7f;
const UTF_16_MARKS: ReadonlySet<number> = new Set([0xfe, 0xff]);
const UTF_16 = 'the file is UTF-16: save it as UTF-8';

/** The bytes are not UTF-8. The message contains no line number, which the caller adds. */
export class FileTextFault extends Error {
  override readonly name = 'FileTextFault';
}

/** Decodes a file from pieces as UTF-8. Old Mac line ends (CR only) become LF; a byte order mark is left for the CSV reader. */
export class FileText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The decoder may hold the first bytes of a character. */
  #isWaiting = false;
  #isBegun = false;
  /** Decided by the first line break; undefined before it. */
  #endsLinesWithCr: boolean | undefined;
  /** A CR at the end of a piece while the kind of line break is unknown. */
  #held = '';

  /** @throws FileTextFault */
  push(bytes: Uint8Array): string {
    return this.#withLf(this.#decoded(bytes));
  }

  /** Returns the rest. @throws FileTextFault if the file ends in the middle of a character */
  end(): string {
    return this.#withLf(this.#decoded()) + this.#held.replace('\r', '\n');
  }

  #decoded(bytes?: Uint8Array): string {
    const first = this.#isBegun ? undefined : bytes?.[0];
    this.#isBegun ||= first !== undefined;
    if (first !== undefined && UTF_16_MARKS.has(first)) throw new FileTextFault(UTF_16);
    // Fast path: most files are ASCII. Not possible while the decoder holds part of a character.
    if (bytes !== undefined && !this.#isWaiting && isAscii(bytes)) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      // UTF-16 without a mark: every second byte of a header is zero.
      if (first !== undefined && /^.?\0/s.test(text)) throw new FileTextFault(UTF_16);
      return text;
    }
    this.#isWaiting = (bytes?.at(-1) ?? 0) > ASCII_MAX;
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      // The decoder's own error has no position.
      throw new FileTextFault('this or a following line is not UTF-8: save the file as UTF-8');
    }
  }

  #withLf(piece: string): string {
    const text = this.#held + piece;
    this.#held = '';
    if (this.#endsLinesWithCr === undefined) {
      const at = text.search(/[\r\n]/);
      if (at < 0) return text;
      if (text[at] === '\r' && at === text.length - 1) {
        this.#held = '\r';
        return text.slice(0, at);
      }
      this.#endsLinesWithCr = text[at] === '\r' && text[at + 1] !== '\n';
    }
    return this.#endsLinesWithCr ? text.replaceAll('\r', '\n') : text;
  }
}

/** Summary of a file, available after its end. */
export interface FileRead {
  /** SHA-256 of its bytes, hex. */
  readonly digest: string;
  readonly bytes: number;
}

export interface SetAsideLine extends SettlementFault {
  /** Counts from 1. */
  readonly line: number;
  readonly earlierFile?: string;
}

export const isSetAside = (line: NumberedLine | SetAsideLine): line is SetAsideLine => 'must' in line;

/**
 * Reads a settlement file in pieces. A fault in the text, the header or the number of fields, or a likely card number, refuses the file.
 * A row with a value outside the format is set aside.
 */
export class SettlementLines {
  readonly #format: SettlementFormat;
  /** Card number check of each column. */
  readonly #looksLikeCardNumber: readonly ((field: string) => boolean)[];
  readonly #reader = new CsvReader();
  readonly #text = new FileText();
  readonly #digest: Hash = createHash('sha256');
  #bytes = 0;
  #isHeaderRead = false;

  constructor(format: SettlementFormat) {
    this.#format = format;
    const references = new Set(format.references);
    this.#looksLikeCardNumber = format.columns.map((name) => (references.has(name) ? looksLikeCardNumberInReference : looksLikeCardNumber));
  }

  /** Lines completed by these bytes. @throws CsvFault */
  push(bytes: Uint8Array): readonly (NumberedLine | SetAsideLine)[] {
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
    return this.#linesOf(() => this.#reader.push(this.#text.push(bytes)));
  }

  /** The last line, if no line break ends it. @throws CsvFault */
  end(): readonly (NumberedLine | SetAsideLine)[] {
    const lines = this.#linesOf(() => [...this.#reader.push(this.#text.end()), ...this.#reader.end()]);
    if (!this.#isHeaderRead) throw this.#headerFault();
    return lines;
  }

  /** Call once, after `end`. */
  read(): FileRead {
    return { digest: this.#digest.digest('hex'), bytes: this.#bytes };
  }

  #linesOf(rows: () => readonly CsvRow[]): readonly (NumberedLine | SetAsideLine)[] {
    const lines: (NumberedLine | SetAsideLine)[] = [];
    for (const { line, fields } of this.#rowsOf(rows)) {
      // Spreadsheets write the separators of empty rows.
      if (fields[0] === '' && fields.every((field) => field === '')) continue;
      if (this.#isHeaderRead) lines.push(this.#line(line, fields));
      else this.#header(fields);
    }
    return lines;
  }

  #rowsOf(rows: () => readonly CsvRow[]): readonly CsvRow[] {
    try {
      return rows();
    } catch (error) {
      if (error instanceof FileTextFault) throw new CsvFault(this.#reader.line, undefined, error.message);
      throw error instanceof CsvFault ? this.#named(error) : error;
    }
  }

  #header(fields: readonly string[]): void {
    const { columns } = this.#format;
    if (fields.length !== columns.length || fields.some((field, index) => field !== columns[index])) throw this.#headerFault();
    this.#isHeaderRead = true;
  }

  #headerFault(): CsvFault {
    return new CsvFault(1, undefined, `the header must be ${this.#format.columns.join(',')}`);
  }

  #line(line: number, fields: readonly string[]): NumberedLine | SetAsideLine {
    // Check for card numbers before any field can reach a message.
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] ?? '';
      if (mayHoldCardNumber(field) && this.#looksLikeCardNumber[index]?.(field) !== false)
        throw new CsvFault(line, undefined, 'a field holds what looks like a card number');
    }
    return Object.assign(this.#format.read(fields), { line });
  }

  #named(fault: CsvFault): CsvFault {
    const index = Number(fault.column) - 1;
    return fault.column === undefined ? fault : new CsvFault(fault.line, this.#format.columns[index] ?? fault.column, fault.must);
  }
}
