import 'reflect-metadata';
import { inWorld } from './one-world';

/** The invariants that the world of a seed violates, each once. */
export const violatedIn = (seed: number): Promise<readonly string[]> =>
  inWorld({ seed }, (_world, violations) => Promise.resolve([...new Set(violations.map(({ invariant }) => invariant))]));
