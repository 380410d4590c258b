import type { Plan } from './accepted-order';

/**
 * What leaves for a gate leaves within so long of the moment that its claim names, or not at all: the process that claimed it may have been held
 * up, or have heard late that its claim is stored, and others count the flight from that moment.
 */
export const LEAVES_WITHIN_MS = 2_000;

/** From the claim: after it nothing of that claim is on its way any more, from whichever process. */
export const longestFlightMsOf = ({ plan }: { readonly plan: Plan }, gate: string): number => {
  const planned = plan.gates.find(({ alias }) => alias === gate);
  if (planned === undefined) throw new Error(`the plan has no gate ${gate}`);
  return LEAVES_WITHIN_MS + planned.longestFlightMs;
};
