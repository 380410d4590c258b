export interface Violation {
  readonly invariant: string;
  readonly about: string;
  readonly seen: string;
}

export type Report = (invariant: string, about: string, seen: unknown) => void;
