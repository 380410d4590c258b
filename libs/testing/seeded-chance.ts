import type { Ids, Random } from '@app/kernel';

const UINT32 = 0x1_0000_0000;

/** Mulberry32 is good enough to spread test data but never for secrets. */
const mulberry32 = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
};

export const seededRandom = (seed = 1): Random => {
  const next = mulberry32(seed);
  return {
    bytes: (size) => Uint8Array.from({ length: size }, () => next() & 0xff),
    fraction: () => next() / UINT32,
  };
};

/** Repeatable UUIDs (version 4 in form), distinct over all seeds and calls of a test. */
export const seededIds = (seed = 1): Ids => {
  const next = mulberry32(seed);
  let given = 0;
  const hex = (value: number, digits: number): string => (value >>> 0).toString(16).padStart(8, '0').slice(-digits);
  return {
    next: () => {
      given += 1;
      return `${hex(next(), 8)}-${hex(next(), 4)}-4${hex(next(), 3)}-8${hex(seed, 3)}-${hex(next(), 4)}${hex(given, 8)}`;
    },
  };
};
