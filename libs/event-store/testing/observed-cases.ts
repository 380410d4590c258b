import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface AppendStep {
  readonly stream: string;
  readonly expected: 'no_stream' | number;
  readonly events: readonly (string | { readonly id: string; readonly type?: string })[];
}

export interface ObservedCase {
  readonly id: string;
  readonly given: readonly { readonly append?: AppendStep; readonly restart?: true }[];
  readonly when: { readonly append?: AppendStep; readonly read?: { readonly stream: string; readonly from?: number } };
  readonly then: { readonly appended: number } | { readonly conflict: 'no_stream' | number } | { readonly events: readonly string[] };
  readonly streamAfter?: readonly string[];
}

export interface ObservedCases {
  readonly observedOn: string;
  readonly cases: readonly ObservedCase[];
  /** Why, and which cases. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
}

/** What EventStoreDB did, as far as our port can say it; every store does the same. */
export const observedCases = (): ObservedCases => JSON.parse(readFileSync(join(__dirname, 'observed-cases.json'), 'utf8')) as ObservedCases;
