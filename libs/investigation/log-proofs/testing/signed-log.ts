import type { EventStore, StoredEvent } from '@app/event-store';
import type { VirtualClock } from '@app/testing';
import type { SignedCheckpoint, SigningKey } from '../checkpoint';
import { CheckpointHistory, CheckpointStore } from '../checkpoint-stores';
import { LogProofs } from '../log-proofs';
import { Frontier, leafHash } from '../merkle';
import type { MemoryFiles } from './memory-files';
import { type ReadableLog, leafText } from '../log-tree';

export const ORIGIN = `payment-orchestrator/log/${'07'.repeat(16)}`;

const fail = (problem: unknown): never => {
  throw problem instanceof Error ? problem : new Error(JSON.stringify(problem));
};

export const signLog = (
  log: ReadableLog,
  files: MemoryFiles,
  clock: VirtualClock,
  key?: SigningKey,
  witness?: MemoryFiles,
): Promise<void> =>
  new LogProofs({
    log,
    files,
    key,
    directories: witness === undefined ? [] : [new CheckpointStore('witness', witness)],
    isKeeper: () => true,
    clock,
    scheduler: clock,
    random: { bytes: (size) => Buffer.alloc(size, 7) },
    listener: { unsigned: () => undefined, inconsistent: fail, rebuilding: fail, retrying: fail, witnessFailed: fail },
  }).stop();

export const eventsIn = async (log: Pick<EventStore, 'subscribe'> | ReadableLog): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for await (const item of log.subscribe('all', 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  return events;
};

export const rootOf = (events: readonly StoredEvent[]): Buffer => {
  const frontier = new Frontier();
  for (const event of events) frontier.push(leafHash(leafText(event)));
  return frontier.root();
};

export const checkpointsIn = async (files: MemoryFiles): Promise<readonly SignedCheckpoint[]> => {
  const found: SignedCheckpoint[] = [];
  for await (const one of new CheckpointHistory(files).all()) if (!('unreadable' in one)) found.push(one);
  return found;
};
