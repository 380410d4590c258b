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
