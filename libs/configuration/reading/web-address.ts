import { parseUrl } from '@app/kernel';
import { shaped } from './scalars';

/** The longest callback address of the interface, section 2.4. */
const ADDRESS_CHARACTERS_MAX = 1024;
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u;

const parsed = (text: string): URL | undefined => {
  if (text.length > ADDRESS_CHARACTERS_MAX || BLANK_OR_CONTROL.test(text)) return undefined;
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.password === '' && !text.includes('#') ? url : undefined;
};

/** The service's public address: scheme, host and port alone, since the path prefix has a key of its own. */
export const baseAddress = () =>
  shaped('an http or https address without a path', (text) => {
    const url = parsed(text);
    return url !== undefined && url.pathname === '/' && !text.includes('?');
  }).transform((text) => new URL(text).origin);

/** The address of a merchant server, to which paths are appended. */
export const serverAddress = () =>
  shaped(
    'an http or https address without user, query and fragment',
    (text) => parsed(text) !== undefined && !text.includes('?'),
  ).transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** A complete address with its query. */
export const targetAddress = () => shaped('an http or https address without user and fragment', (text) => parsed(text) !== undefined);
