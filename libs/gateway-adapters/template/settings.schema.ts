import { flag, mapping, shaped, wholeNumberIn } from '@app/configuration/gates';
import { parseUrl } from '@app/kernel';

const CONNECTIONS_MAX = 1_024;
const API_KEY = /^[\x21-\x7e]{16,256}$/;

export const templateSettings = {
  acquirer: mapping({
    baseUrl: shaped(
      'an http or https address without a query',
      (text) => ['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '') && !/[?#]/.test(text),
    ),
    /** Allows http; only for a stand-in on the same machine. */
    plainHttp: flag().default(false),
  })
    .refine(({ baseUrl, plainHttp }) => plainHttp || baseUrl.startsWith('https:'), {
      path: ['baseUrl'],
      error: 'must be https, unless plainHttp is true',
    })
    .readonly(),
  connectionsMax: wholeNumberIn(1, CONNECTIONS_MAX).default(64),
};

/** Each may also be given as a file: `apiKeyFile`. */
export const templateSecrets = {
  apiKey: { isRequired: true, what: '16 to 256 visible characters', accepts: (text: string) => API_KEY.test(text) },
  notificationKey: { isRequired: true, what: '16 to 256 visible characters', accepts: (text: string) => API_KEY.test(text) },
} as const;
