import { constants } from 'node:os';

const SIGNAL_BASE = 128;

/** As a shell tells how a child ended: its own code, or 128 and the number of the signal. */
export const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]);
