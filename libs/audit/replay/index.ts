export { WHAT_IF_CLASSES, type DecidedAgain, type WhatIfClass } from './decide-again';
export type { NotKnown, WouldEnd } from './walk-again';
export * from './what-if';
export * from './what-if-totals';
