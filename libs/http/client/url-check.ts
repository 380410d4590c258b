import { parseUrl } from '@app/kernel';
import { parseIp, type RefusalOfTarget } from '@app/configuration';
import { refusalOfAddress, type AddressRefusal } from './address-check';
import { egressPolicyOf, type AddressSource, type EgressPolicy } from './policy';

export type TargetRefusal = 'malformed' | 'scheme' | 'userinfo' | 'port' | 'too-many-addresses' | AddressRefusal;

export type UrlCheck = { readonly kind: 'ok'; readonly url: URL } | { readonly kind: 'refused'; readonly reason: TargetRefusal };

const URL_CHARACTERS_MAX = 2_048;
/** WHATWG parsing drops some of these in silence, and another parser would not. */
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const refused = (reason: TargetRefusal): UrlCheck => ({ kind: 'refused', reason });

/** Without the brackets of an IPv6 literal and the dot that ends an absolute name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** `localhost` and all below it are the loopback addresses, whatever a name server says (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
export const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1'] as const;

const refusalOfHost = (host: string, policy: EgressPolicy): TargetRefusal | undefined => {
  const literals = isLocalhost(host) ? LOCALHOST_ADDRESSES : [host];
  const refusals = literals.map((literal) => {
    const address = parseIp(literal);
    return address === undefined ? undefined : refusalOfAddress(address, policy);
  });
  return refusals.includes(undefined) ? undefined : refusals[0];
};

/**
 * Checks an address without asking a name server: scheme, user, port, and a host that is an IP address in any notation (safety, T16).
 * Runs when a request brings the address, so that accepting a payment never waits for DNS, and again at every call. The addresses of a name are
 * checked when a connection is made.
 */
export const checkUrlAtAcceptance = (text: string, policy: EgressPolicy, source: AddressSource = 'request'): UrlCheck => {
  if (text.length > URL_CHARACTERS_MAX || BLANK_OR_CONTROL.test(text)) return refused('malformed');
  const url = parseUrl(text);
  if (url === undefined) return refused('malformed');
  const defaultPort = DEFAULT_PORTS[url.protocol];
  if (defaultPort === undefined || (url.protocol === 'http:' && !policy.isPlainHttpOpen)) return refused('scheme');
  if (url.username !== '' || url.password !== '') return refused('userinfo');
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0 || (source === 'request' && !policy.requestPorts.has(port))) return refused('port');
  const host = hostOf(url);
  if (host === '') return refused('malformed');
  const reason = refusalOfHost(host, policy);
  return reason === undefined ? { kind: 'ok', url } : refused(reason);
};

/** The check of an address in the configuration, without a name server. */
export const refusalOfConfiguredTarget: RefusalOfTarget = (address, egress, isProduction) => {
  const check = checkUrlAtAcceptance(address, egressPolicyOf(egress, isProduction), 'configuration');
  return check.kind === 'ok' ? undefined : check.reason;
};
