import { hash } from 'node:crypto';
import type { EventId, StreamName } from './port';
import { lengthPrefixed } from './length-prefixed';

/** The UUIDv5 namespace of this project's event ids. It must never change, or retries would get new ids. */
const NAMESPACE = Buffer.from('5c1a6f0e2d9b4f7a8e3cb04d7a91f6e2', 'hex');

/**
 * UUIDv5 of stream, command id and index: a retry after a lost answer makes the same ids, so that the store recognises it (architecture, rule 2). UUID
 * version 5 prescribes SHA-1; nothing relies on it for security.
 */
export const eventId = (stream: StreamName, commandId: string, index: number): EventId => {
  const name = Buffer.from(`${lengthPrefixed(stream)}${lengthPrefixed(commandId)}${index}`);
  const digest = hash('sha1', Buffer.concat([NAMESPACE, name]), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}` as EventId;
};
