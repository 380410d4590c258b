import { createHash } from 'node:crypto';
import type { ServiceDigests } from '@app/card-vault';

const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Without the vault's key: tests check what is digested, not how. */
export const testDigests = {
  onceKey: (kind: string, parts: readonly string[]) => digest([kind, ...parts]),
  contentDigest: digest,
} as unknown as ServiceDigests;
