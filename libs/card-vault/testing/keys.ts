import { createSecretKey, randomBytes } from 'node:crypto';
import type { Instant } from '@app/kernel';
import type { KeyRing } from '../keys/key-ring';

export const newKeyRing = (more: Partial<KeyRing> = {}): KeyRing => ({
  primaryKekId: 1,
  keks: new Map([[1, createSecretKey(randomBytes(32))]]),
  indexKeys: [{ id: 1, key: createSecretKey(randomBytes(32)) }],
  serviceKey: createSecretKey(randomBytes(32)),
  retired: new Set(),
  ...more,
});

export const instant = (ms: number): Instant => ms as Instant;
