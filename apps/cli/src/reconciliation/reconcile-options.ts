export interface ReconcileOptions {
  readonly gate?: string;
  readonly file?: string;
  readonly poll?: true;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly dryRun?: true;
  readonly actor?: string;
}

/** The exit code where the log and the gate differ; 0 where they agree. */
export const DIFFERS = 1;
