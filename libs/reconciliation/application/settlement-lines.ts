import { createHash, type Hash } from 'node:crypto';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';
import { type SettlementFault, type SettlementFormat } from '@app/gateway-adapters/contract';
import { CsvFault } from '../csv/csv-fault';
import { CsvReader, type CsvRow } from '../csv/csv-reader';
import { mayHoldCardNumber } from '../csv/card-number';
import { FileText, FileTextFault } from './file-text';
import type { NumberedLine } from '../domain/transactions';

/** What a file holds, told once it was read to its end. */
export interface FileRead {
  /** SHA-256 of its bytes, hex. */
  readonly digest: string;
  readonly bytes: number;
}

/** A row that is not compared. */
export interface SetAsideLine extends SettlementFault {
  /** Counts from 1. */
  readonly line: number;
  /** As in `NumberedLine`. */
  readonly earlierFile?: string;
}

export const isSetAside = (line: NumberedLine | SetAsideLine): line is SetAsideLine => 'must' in line;

/**
 * Reads a settlement file piece by piece. A fault in the text, the header or the number of fields refuses the file, as does what looks like a card
 * number. A row with a value that the format does not have is set aside.
 */
export class SettlementLines {
  readonly #format: SettlementFormat;
  /** By column: what looks like a card number there. */
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

  /** The lines that these bytes complete. @throws CsvFault */
  push(bytes: Uint8Array): readonly (NumberedLine | SetAsideLine)[] {
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
    return this.#linesOf(() => this.#reader.push(this.#text.push(bytes)));
  }

  /** The last line, where no line break ends it. @throws CsvFault */
  end(): readonly (NumberedLine | SetAsideLine)[] {
    const lines = this.#linesOf(() => [...this.#reader.push(this.#text.end()), ...this.#reader.end()]);
    if (!this.#isHeaderRead) throw this.#headerFault();
    return lines;
  }

  /** Once, after the end. */
  read(): FileRead {
    return { digest: this.#digest.digest('hex'), bytes: this.#bytes };
  }

  #linesOf(rows: () => readonly CsvRow[]): readonly (NumberedLine | SetAsideLine)[] {
    const lines: (NumberedLine | SetAsideLine)[] = [];
    for (const { line, fields } of this.#rowsOf(rows)) {
      // A spreadsheet writes the separators of empty rows.
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
    // Before anything else of the line is told to anybody.
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] ?? '';
      if (mayHoldCardNumber(field) && this.#looksLikeCardNumber[index]?.(field) !== false)
        throw new CsvFault(line, undefined, 'a field holds what looks like a card number');
    }
    return Object.assign(this.#format.read(fields), { line });
  }

  /** By the format's name of the column. */
  #named(fault: CsvFault): CsvFault {
    const index = Number(fault.column) - 1;
    return fault.column === undefined ? fault : new CsvFault(fault.line, this.#format.columns[index] ?? fault.column, fault.must);
  }
}
