const START_OF_LINE = '\r\u001b[2K';

/** One line at the end of a terminal that is written over again and again. */
export class RedrawnLine {
  readonly #write: (text: string) => void;
  #isShown = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  show(text: string): void {
    this.#isShown = true;
    this.#write(START_OF_LINE + text);
  }

  /** Removes the line, so that the next output takes its place. */
  clear(): void {
    if (this.#isShown) this.#write(START_OF_LINE);
    this.#isShown = false;
  }
}
