import { constants } from 'node:os';

const SIGNAL_BASE = 128;

/** The exit code of a child as a shell gives it: its own code, or 128 plus the number of the signal. */
export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]);
