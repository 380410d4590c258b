import { isAscii } from 'node:buffer';

const ASCII_MAX = 0x7f;
const UTF_16_MARKS: ReadonlySet<number> = new Set([0xfe, 0xff]);
const UTF_16 = 'the file is UTF-16: save it as UTF-8';

/** The bytes are not text in UTF-8. The message says what the file must be, and no place: the reader of the text knows it. */
export class FileTextFault extends Error {
  override readonly name = 'FileTextFault';
}

/**
 * The text of a file that comes in pieces: UTF-8. A file whose lines all end with CR is read as if they ended with LF; a byte order mark stays for
 * the reader of the lines.
 */
export class FileText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The decoder may hold the first bytes of a character. */
  #isWaiting = false;
  #isBegun = false;
  /** By the first line break; undefined before it. */
  #endsLinesWithCr: boolean | undefined;
  /** A CR at the end of a piece before the first line break is known. */
  #held = '';

  /** @throws FileTextFault */
  push(bytes: Uint8Array): string {
    return this.#withLf(this.#decoded(bytes));
  }

  /** What was held back. @throws FileTextFault if the file ends in the middle of a character */
  end(): string {
    return this.#withLf(this.#decoded()) + this.#held.replace('\r', '\n');
  }

  #decoded(bytes?: Uint8Array): string {
    const first = this.#isBegun ? undefined : bytes?.[0];
    this.#isBegun ||= first !== undefined;
    if (first !== undefined && UTF_16_MARKS.has(first)) throw new FileTextFault(UTF_16);
    // Nearly all files are ASCII alone, which needs no decoder; one that waits for the rest of a character does.
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
      // The decoder's own error names no place.
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
