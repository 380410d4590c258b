/** The intervals at which, and the time for which, an app asks for the state of its transaction. */
export interface Cadence {
  /** Shortest gap between two requests. */
  readonly gapMsMin: number;
  /** Longest gap; each gap is random between the two, so that apps that started together do not ask together. */
  readonly gapMsMax: number;
  /** Limit of one state. */
  readonly limitMs: number;
  /** Limit of REDIRECT_REQUEST, which waits for a person. */
  readonly payerLimitMs: number;
}

/** Every 3 to 5 s for 3 minutes (protocol decisions, section 8); for the payer as long as a gateway waits by default. */
export const DOCUMENTED_CADENCE: Cadence = { gapMsMin: 3_000, gapMsMax: 5_000, limitMs: 180_000, payerLimitMs: 900_000 };
