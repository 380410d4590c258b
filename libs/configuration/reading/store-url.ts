import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseUrl, Secret } from '@app/kernel';

/** The address of a store (architecture, "Stores"). That of a server may contain a password, so it is secret. */
export type StoreUrl =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'eventstoredb'; readonly url: Secret<string> }
  | { readonly kind: 'postgres'; readonly url: Secret<string> };

const CHARACTERS_MAX = 4_096;
/** Two letters at least: `C:\data` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;
const CONTROL_CHARACTER = /\p{Cc}/u;

const fromFileUrl = (text: string): string | undefined => {
  if (/[?#]/.test(text)) return undefined;
  if (!text.startsWith('file://')) return resolve(text.slice('file:'.length));
  try {
    return fileURLToPath(text);
  } catch {
    return undefined;
  }
};

/** A path, `file:`, `esdb:`, `esdb+discover:`, `postgres:` or `postgresql:`; a relative path starts at the working directory. */
export const parseStoreUrl = (text: string): StoreUrl | undefined => {
  // SQLite would open a store in memory for this name, and lose acknowledged events.
  if (text.includes(':memory:') || text.length > CHARACTERS_MAX || CONTROL_CHARACTER.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return text === '' ? undefined : { kind: 'file', path: resolve(text) };
    case 'file': {
      const path = fromFileUrl(`file${text.slice('file'.length)}`);
      return path === undefined || text.length === 'file:'.length ? undefined : { kind: 'file', path };
    }
    case 'esdb':
    case 'esdb+discover':
      return text.includes('://') && text.split('://')[1] !== '' ? { kind: 'eventstoredb', url: new Secret(text) } : undefined;
    case 'postgres':
    case 'postgresql':
      return (parseUrl(text)?.host ?? '') !== '' ? { kind: 'postgres', url: new Secret(text) } : undefined;
    default:
      return undefined;
  }
};

/** The address of a store for logs, without user, password and options. */
export const storeAddress = (at: StoreUrl): string => {
  if (at.kind === 'file') return at.path;
  const [scheme = '', rest = ''] = at.url.reveal().split('://', 2);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  return `${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`;
};
