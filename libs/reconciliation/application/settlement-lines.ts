import { isAscii } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';
import { isSettlementFault, type SettlementFormat } from '@app/gateway-adapters/contract';
import { CsvFault } from '../csv/csv-fault';
import { CsvReader, type CsvRow } from '../csv/csv-reader';
import { mayHoldCardNumber } from '../csv/card-number';
import type { NumberedLine } from '../domain/transactions';

const ASCII_MAX = 0x7f;

/** What a file holds, told once it was read to its end. */
export interface FileRead {
  /** SHA-256 of its bytes, hex. */
  readonly digest: string;
  readonly bytes: number;
}

/** Reads a settlement file piece by piece. Anything that is not as the format says refuses the file. */
export class SettlementLines {
  readonly #format: SettlementFormat;
  /** By column: what looks like a card number there. */
  readonly #looksLikeCardNumber: readonly ((field: string) => boolean)[];
  readonly #reader = new CsvReader();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #digest: Hash = createHash('sha256');
  #bytes = 0;
  #isHeaderRead = false;
  /** The decoder may hold the first bytes of a character. */
  #isWaiting = false;

  constructor(format: SettlementFormat) {
    this.#format = format;
    const references = new Set(format.references);
    this.#looksLikeCardNumber = format.columns.map((name) => (references.has(name) ? looksLikeCardNumberInReference : looksLikeCardNumber));
  }

  /** The lines that these bytes complete. @throws CsvFault */
  push(bytes: Uint8Array): readonly NumberedLine[] {
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
    return this.#linesOf(() => this.#reader.push(this.#text(bytes)));
  }

  /** The last line, where no line break ends it. @throws CsvFault */
  end(): readonly NumberedLine[] {
    const lines = this.#linesOf(() => [...this.#reader.push(this.#text()), ...this.#reader.end()]);
    if (!this.#isHeaderRead) throw this.#headerFault();
    return lines;
  }

  /** Once, after the end. */
  read(): FileRead {
    return { digest: this.#digest.digest('hex'), bytes: this.#bytes };
  }

  #linesOf(rows: () => readonly CsvRow[]): readonly NumberedLine[] {
    const lines: NumberedLine[] = [];
    for (const { line, fields } of this.#rowsOf(rows)) {
      if (this.#isHeaderRead) lines.push(this.#line(line, fields));
      else this.#header(fields);
    }
    return lines;
  }

  #text(bytes?: Uint8Array): string {
    // Nearly all files are ASCII alone, which needs no decoder; one that waits for the rest of a character does.
    if (bytes !== undefined && !this.#isWaiting && isAscii(bytes))
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    this.#isWaiting = (bytes?.at(-1) ?? 0) > ASCII_MAX;
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      // The decoder's own error names no place.
      throw new CsvFault(this.#reader.line, undefined, 'this or a following line is not UTF-8');
    }
  }

  #rowsOf(rows: () => readonly CsvRow[]): readonly CsvRow[] {
    try {
      return rows();
    } catch (error) {
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

  #line(line: number, fields: readonly string[]): NumberedLine {
    // Before anything else of the line is told to anybody.
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] ?? '';
      if (mayHoldCardNumber(field) && this.#looksLikeCardNumber[index]?.(field) !== false)
        throw new CsvFault(line, undefined, 'a field holds what looks like a card number');
    }
    const read = this.#format.read(fields);
    if (isSettlementFault(read)) throw new CsvFault(line, read.column, read.must);
    return Object.assign(read, { line });
  }

  /** By the format's name of the column. */
  #named(fault: CsvFault): CsvFault {
    const index = Number(fault.column) - 1;
    return fault.column === undefined ? fault : new CsvFault(fault.line, this.#format.columns[index] ?? fault.column, fault.must);
  }
}
