/** How often each part of the way of a v4 request is gone. */
export interface V4PartsAsked {
  readonly dataDir: string;
  readonly calls: number;
}

/** CPU of one call, all threads of the process, in µs. */
export interface V4Parts {
  /** The header's grammar, and the text that was signed. */
  readonly readingMicroseconds: number;
  readonly verificationMicroseconds: number;
  /** A nonce taken for good in the embedded store, many at a time. */
  readonly nonceMicroseconds: number;
}
