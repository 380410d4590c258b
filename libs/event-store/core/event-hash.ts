import { hash } from 'node:crypto';
import { lengthPrefixed } from './length-prefixed';
import type { NewEvent } from './port';

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
