/** How often, and how long, an app asks for the state of its transaction. */
export interface Cadence {
  /** Between two questions a time from here ... */
  readonly gapMsMin: number;
  /** ... to here, at random: many apps that were started together do not ask together. */
  readonly gapMsMax: number;
  /** How long one state may last. */
  readonly limitMs: number;
  /** How long REDIRECT_REQUEST may last, which waits for a person. */
  readonly payerLimitMs: number;
}

/** Every 3 to 5 s for 3 minutes (protocol decisions, section 8); for the payer as long as a gateway waits by default. */
export const DOCUMENTED_CADENCE: Cadence = { gapMsMin: 3_000, gapMsMax: 5_000, limitMs: 180_000, payerLimitMs: 900_000 };
