/** Gives every request its serial-number (protocol decisions, D3.5). */
export interface SerialSource {
  next(): string | Promise<string>;
}
