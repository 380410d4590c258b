import type { EmailDigest } from '@app/kernel';
import type { ServiceDigests } from './port';

/**
 * The digest by which orders of one e-mail address are found while the address itself stays sealed. It is keyed, because a bare hash of an address is
 * found by trying addresses. Letters count alike whatever their case: mail servers deliver so, and people type so.
 */
export const emailDigest = (digests: Pick<ServiceDigests, 'onceKey'>, email: string): EmailDigest =>
  digests.onceKey('email', [email.trim().toLowerCase()]) as EmailDigest;
