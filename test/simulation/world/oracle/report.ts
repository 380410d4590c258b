/** What the world shows that must never be: the invariant, the order that it is about, and what was seen. */
export interface Violation {
  readonly invariant: string;
  readonly about: string;
  readonly seen: string;
}

/** Takes down that an invariant does not hold. */
export type Report = (invariant: string, about: string, seen: unknown) => void;
