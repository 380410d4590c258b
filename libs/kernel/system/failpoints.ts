/** Points of a payment at which a test kills the process (safety, section 2.2). */
export const KILL_POINTS = ['P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P6a', 'P6b', 'P7', 'P8', 'P9', 'P10', 'P11', 'P12'] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

export interface Failpoints {
  /** Does not return if the test kills the process here. */
  reach(point: KillPoint): void;
}

export const noFailpoints: Failpoints = { reach: () => undefined };
