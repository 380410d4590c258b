import { hash } from 'node:crypto';
import type { NewEvent, StoredEvent } from './port';

const lengthPrefixed = (text: string): string => `${Buffer.byteLength(text)}:${text}`;

/**
 * The event's link in its stream's chain: SHA-256, hex, over id, type, data and metadata as stored, each after its length in bytes; never over
 * position or the store's time, so that a copied log keeps its chain (architecture, rule 7).
 */
export const hashOf = (event: NewEvent): string =>
  hash(
    'sha256',
    lengthPrefixed(event.id) + lengthPrefixed(event.type) + lengthPrefixed(event.data) + lengthPrefixed(event.metadata),
    'hex',
  );

/** What is stored is not what was written: edited, or damaged on the disk (safety, F27 and T44). Nothing may be decided from it. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';
  /** As read, and not to be trusted. */
  readonly event: StoredEvent;
  /** What is wrong with it, without its name. */
  readonly fault: string;

  constructor(event: StoredEvent, fault: string) {
    super(`${event.stream} revision ${event.revision} (position ${event.position}): ${fault}`);
    this.event = event;
    this.fault = fault;
  }
}
