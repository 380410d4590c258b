import type { FieldValue } from '../words/fields';
import type { Cause, FieldDifference, Explained } from './why';
import type { DatedEvent, Moment } from './dated-events';

const iso = (at: number): string => new Date(at).toISOString();

export interface EventJson {
  /** Its number in the order's stream, from 0. */
  readonly revision: number;
  readonly id: string;
  /** As in the event catalogue. */
  readonly type: string;
  /** When it was recorded. */
  readonly knownAt: string;
  /** When it happened: the gate's own time if it gave one. */
  readonly trueAt: string;
  readonly actor: string;
  /** The person that the operator claims to represent. */
  readonly claimedActor?: string;
  /** The original request. */
  readonly correlation: string;
  /** The event or request that caused this one. */
  readonly causation: string;
}

export type CauseJson =
  | ({ readonly kind: 'event' } & EventJson)
  | { readonly kind: 'request'; readonly serial: string }
  | { readonly kind: 'elsewhere'; readonly id: string };

export interface DifferenceJson {
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  readonly event: EventJson;
}

export interface WhyJson {
  readonly field: string;
  readonly values: Readonly<Record<string, FieldValue>>;
  readonly before: Readonly<Record<string, FieldValue>>;
  readonly event: EventJson;
  /** Nearest cause first. */
  readonly causes: readonly CauseJson[];
}

export const eventAsJson = ({ logEvent, knownAt, trueAt }: DatedEvent): EventJson => {
  const { actor, claimedActor, correlation, causation } = logEvent.metadata;
  return {
    revision: Number(logEvent.revision),
    id: logEvent.id,
    type: logEvent.event.type,
    knownAt: iso(knownAt),
    trueAt: iso(trueAt),
    actor,
    ...(claimedActor !== undefined && { claimedActor }),
    correlation,
    causation,
  };
};

const causeAsJson = (cause: Cause): CauseJson => (cause.kind === 'event' ? { kind: cause.kind, ...eventAsJson(cause.event) } : cause);

export const differenceAsJson = ({ field, before, after, event }: FieldDifference): DifferenceJson => ({
  field,
  before,
  after,
  event: eventAsJson(event),
});

export const whyAsJson = (field: string, { values, before, event, causes }: Explained): WhyJson => ({
  field,
  values: Object.fromEntries(values),
  before: Object.fromEntries(before),
  event: eventAsJson(event),
  causes: causes.map(causeAsJson),
});

export const momentAsJson = (moment: Moment): { readonly version?: number; readonly knownAt?: string; readonly trueAt?: string } => {
  switch (moment.kind) {
    case 'version':
      return { version: Number(moment.version) };
    case 'known-at':
      return { knownAt: iso(moment.at) };
    case 'true-at':
      return { trueAt: iso(moment.at) };
  }
};
