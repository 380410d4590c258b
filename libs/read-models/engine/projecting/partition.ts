import type { StoredEvent } from '@app/event-store';
import { crc32 } from 'node:zlib';

/** A part of the log's streams, the `number`-th `of` so many, whose rows one process writes. */
export interface Partition {
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

export const WHOLE: Partition = { number: 1, of: 1 };

/**
 * The stream by which an event's partition is chosen: its own, or the one whose rows it changes. What two streams write into one row has one key, so that it
 * is written in the order of the log. Undefined where the event does not tell; each partition takes it then.
 */
export type PartitionKey = (stored: Pick<StoredEvent, 'stream' | 'data'>) => string | undefined;

export const byOwnStream: PartitionKey = ({ stream }) => stream;

/** The number of a key's partition, which stays the same for the same count. */
export const partitionOf = (key: string, of: number): number => (crc32(key) % of) + 1;

/** Whether the events of this key are projected by whoever has the partition. */
export const isOfPartition = ({ number, of }: Partition, key: string | undefined): boolean =>
  of === 1 || key === undefined || partitionOf(key, of) === number;
