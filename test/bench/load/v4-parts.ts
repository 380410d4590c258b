/** How often each part of a v4 request's processing is run. */
export interface V4PartsAsked {
  readonly dataDir: string;
  readonly calls: number;
}

/** CPU of one call, all threads of the process, in µs. */
export interface V4Parts {
  /** Parsing the header, and building the text that was signed. */
  readonly readingMicroseconds: number;
  readonly verificationMicroseconds: number;
  /** A nonce claimed in the embedded store, many at a time. */
  readonly nonceMicroseconds: number;
}
