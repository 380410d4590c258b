/** A part of a count, small enough to be lost with little: what it runs, and under which seed. */
export interface Portion {
  /** How many are done before it. */
  readonly first: number;
  readonly size: number;
  readonly seed: number;
}

export interface PortionCommand {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** One row of the bar that has a count on demand (safety, section 1). */
export interface CountedRow {
  readonly name: string;
  /** Of the bar, such as `B5`. */
  readonly id: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** How many the bar asks for on demand. */
  readonly count: number;
  readonly portionSize: number;
  /** Whether the programs have to be built first. */
  readonly needsBuild: boolean;
  readonly command: (portion: Portion) => PortionCommand;
}
