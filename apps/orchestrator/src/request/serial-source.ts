/** Where serial-numbers come from; durable blocks (protocol decisions, section 3). */
export interface SerialSource {
  next(): string | Promise<string>;
}
