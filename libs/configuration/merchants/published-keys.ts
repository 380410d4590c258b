import { createHash, type KeyObject } from 'node:crypto';
import { controlKeyIdentity } from '../reading/control-key';

/**
 * SHA-256 of each key and secret in the gateway interface, in this repository's documents and in its sandbox: any reader could sign for a merchant
 * that uses one. A control key is hashed in lower case without dashes, an RSA key as its SubjectPublicKeyInfo.
 */
const PUBLISHED: ReadonlySet<string> = new Set([
  'b5ad347677e97ad3b5edbe4b5308fcd8b915def37cb7e8ff86aa672f229e0b7b',
  '96ad2ccd81462a766178ae09a71df55f548a3f66da11606f9cdf40b391e22dd0',
  '21098ade7f24f5f8440132b34e935348e7b92813b0215f28f4347a157895ede2',
  '432697ee5b92ecdb95cd42a91a8b5b1b07dc7a08b1506309b7eb8879cdbbe5d5',
  '37dfa4aa4e205ab5d6bec111ab1ba6726d29f8610e2aef95ef38a84a06f381bc',
  '3f53906dda93d48873192ec3104501635765f6d21768902c8b5df745d9fee901',
]);

const isPublished = (content: string | Uint8Array): boolean => PUBLISHED.has(createHash('sha256').update(content).digest('hex'));

export const isPublishedControlKey = (key: string): boolean => isPublished(controlKeyIdentity(key));
export const isPublishedSecret = (secret: string): boolean => isPublished(secret);
/** The private half of a sample pair lies in `config/`. */
export const isPublishedPublicKey = (key: KeyObject): boolean => isPublished(key.export({ type: 'spki', format: 'der' }));
