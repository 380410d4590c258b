import type { ServiceDigests } from '@app/card-vault';

/**
 * The digest by which orders of one e-mail address are found while the address itself stays sealed. It is keyed, because a bare hash of an address is
 * found by trying addresses. Letters count alike whatever their case: mail servers deliver so, and people type so.
 */
export const emailDigest = (digests: Pick<ServiceDigests, 'onceKey'>, email: string): string =>
  digests.onceKey('email', [email.trim().toLowerCase()]);
