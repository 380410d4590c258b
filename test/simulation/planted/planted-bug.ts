/** One place of the code and what a planted bug makes of it. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file, so that a change of the code is noticed. */
  readonly find: string;
  readonly put: string;
}

/** A fault that somebody could make, kept as what it changes, with a seed whose world shows it. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly seed: number;
  /** The invariant that its world violates, as the oracle names it. */
  readonly violates: string;
}
