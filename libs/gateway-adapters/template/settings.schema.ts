import { shaped, wholeNumberIn } from '@app/configuration/gates';
import { parseUrl } from '@app/kernel';

const CONNECTIONS_MAX = 1_024;
const API_KEY = /^[\x21-\x7e]{16,256}$/;

/** The keys that a gate of this adapter has beside those of every gate. */
export const templateSettings = {
  baseUrl: shaped('an https address without a query', (text) => parseUrl(text)?.protocol === 'https:' && !/[?#]/.test(text)),
  connectionsMax: wholeNumberIn(1, CONNECTIONS_MAX).default(64),
};

/** Each may also be named by its file: `apiKeyFile`. */
export const templateSecrets = {
  apiKey: { isRequired: true, what: '16 to 256 visible characters', accepts: (text: string) => API_KEY.test(text) },
  /** What the acquirer signs its notifications with. */
  notificationKey: { isRequired: true, what: '16 to 256 visible characters', accepts: (text: string) => API_KEY.test(text) },
} as const;
