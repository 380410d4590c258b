import type { EventId, StreamName } from '@app/event-store';
import type { AuditRow } from './audit-format';

/** The columns of an entry, in the order of the CSV; version 1 (docs/audit.md). */
export const TRAIL_COLUMNS = [
  'number',
  'at',
  'category',
  'type',
  'actor',
  'claimedActor',
  'merchant',
  'stream',
  'revision',
  'eventId',
  'correlation',
  'causation',
  'causedBy',
  'problem',
  'data',
] as const;

export interface TrailEntry extends AuditRow {
  /** From 1, in the order of the log. */
  readonly number: number;
  readonly at: string;
  /** Of the stream: the kind of order, cardReference, delivery, reconciliation, approval or operator. */
  readonly category: string;
  readonly type: string;
  readonly actor: string;
  /** The person that the caller claimed to represent. */
  readonly claimedActor: string | null;
  readonly merchant: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly eventId: EventId;
  /** The original request. */
  readonly correlation: string;
  /** The direct cause: a request, or an event. */
  readonly causation: string;
  /** Number of the entry that is the direct cause; null if that is a request. */
  readonly causedBy: number | null;
  /** Why the data are missing: this release cannot read the event, or its stream is damaged from here on. */
  readonly problem: string | null;
  /** As in the event catalogue; sealed values are `[sealed]` unless they were revealed. Null if there is a problem. */
  readonly data: object | null;
}
