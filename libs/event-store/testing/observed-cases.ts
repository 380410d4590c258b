import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface EventSpec {
  readonly id: string;
  readonly type?: string;
  readonly typeLen?: number;
  readonly data?: unknown;
  readonly dataText?: string;
  readonly dataBytes?: number;
  readonly meta?: unknown;
  readonly metaBytes?: number;
}

export interface ObservedStep {
  readonly op: string;
  readonly stream?: string;
  readonly events?: readonly (string | EventSpec)[];
  readonly expectedRevision?: 'no_stream' | 'any' | 'stream_exists' | number;
  readonly from?: 'start' | 'end' | number;
  readonly direction?: 'backwards';
  readonly maxCount?: number;
  readonly resolveLinkTos?: true;
  readonly detail?: true;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly ms?: number;
}

/** One operation on the real server and its result. The file describes its format. */
export interface ObservedCase {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly rpc?: 'both' | 'Append' | 'BatchAppend';
  readonly given: readonly ObservedStep[];
  readonly when: ObservedStep;
  readonly then: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

/** Observations on EventStoreDB 23.10.7 through @eventstore/db-client 6.2.1 (EventStoreDB notes, section 3). */
export const observedCases = (): readonly ObservedCase[] =>
  (JSON.parse(readFileSync(join(__dirname, 'observed-cases.json'), 'utf8')) as { readonly cases: readonly ObservedCase[] }).cases;
