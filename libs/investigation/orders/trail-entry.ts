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

/** One event of a trail. */
export interface TrailEntry extends AuditRow {
  /** From 1, in the order of the log. */
  readonly number: number;
  readonly at: string;
  /** Of the stream: the kind of order, cardReference, delivery, reconciliation or operator. */
  readonly category: string;
  readonly type: string;
  readonly actor: string;
  /** Whom the caller said to act for. */
  readonly claimedActor: string | null;
  readonly merchant: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly eventId: EventId;
  /** The request that all of it began with. */
  readonly correlation: string;
  /** The direct cause: a request, or an event. */
  readonly causation: string;
  /** The number of the entry that is the direct cause; null where a request is. */
  readonly causedBy: number | null;
  /** Why an event is told without its data: this release cannot read it, or the stream is damaged from here on. */
  readonly problem: string | null;
  /** As the event catalogue has it; sealed values are `[sealed]` unless they were revealed. Null beside a problem. */
  readonly data: object | null;
}
