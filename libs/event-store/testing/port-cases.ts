import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observedCases, type ObservedCase, type ObservedStep } from './observed-cases';

interface AppendStep {
  readonly stream: string;
  readonly expected: 'no_stream' | number;
  readonly events: readonly { readonly id: string; readonly type?: string }[];
}

export interface PortCase {
  readonly id: string;
  readonly given: readonly { readonly append?: AppendStep; readonly restart?: true }[];
  readonly when: { readonly append?: AppendStep; readonly read?: { readonly stream: string; readonly from?: number } };
  readonly then: { readonly appended: number } | { readonly conflict: 'no_stream' | number } | { readonly events: readonly string[] };
  readonly streamAfter?: readonly string[];
}

export interface PortCases {
  readonly cases: readonly PortCase[];
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
}

const revision = (text: unknown): 'no_stream' | number => (text === 'no_stream' ? text : Number.parseInt(String(text), 10));

/** The port has no "any"; on an empty stream it equals `no_stream`. */
const appendStep = ({ stream = '', events = [], expectedRevision }: ObservedStep, isFirst: boolean): AppendStep => {
  const expected = expectedRevision === 'any' && isFirst ? 'no_stream' : expectedRevision;
  if (expected !== 'no_stream' && typeof expected !== 'number') throw new Error(`the port cannot say ${expected}`);
  return { stream, expected, events: events.map((event) => (typeof event === 'string' ? { id: event } : event)) };
};

const givenStep = (step: ObservedStep, index: number): PortCase['given'][number] =>
  step.op === 'restartServer' ? { restart: true } : { append: appendStep(step, index === 0) };

const portCase = ({ id, given, when, then }: ObservedCase): PortCase => {
  const steps = given.map(givenStep);
  if (when.op === 'readStream') {
    const from = typeof when.from === 'number' ? { from: when.from } : {};
    const events = (then['events'] ?? []) as readonly string[];
    return { id, given: steps, when: { read: { stream: when.stream ?? '', ...from } }, then: { events } };
  }
  const outcome =
    then['ok'] === true ? { appended: Number(revision(then['nextExpectedRevision'])) } : { conflict: revision(then['actualVersion']) };
  const streamAfter = Array.isArray(then['streamAfter']) ? (then['streamAfter'] as readonly string[]) : [];
  return { id, given: steps, when: { append: appendStep(when, steps.length === 0) }, then: outcome, streamAfter };
};

/** The observations on EventStoreDB that the port can express. Every store must behave the same. */
export const portCases = (): PortCases => {
  const leftOut = JSON.parse(readFileSync(join(__dirname, 'cases-beyond-the-port.json'), 'utf8')) as PortCases['leftOut'];
  const beyond = new Set(Object.values(leftOut).flat());
  return {
    cases: observedCases()
      .filter(({ id }) => !beyond.has(id))
      .map(portCase),
    leftOut,
  };
};
