import { createHash } from 'node:crypto';
import type { ServiceDigests } from '@app/card-vault';

const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Digests as the vault makes them, of no key: a test shows what is digested, not how. */
export const testDigests = {
  onceKey: (kind: string, parts: readonly string[]) => digest([kind, ...parts]),
  contentDigest: digest,
} as unknown as ServiceDigests;
