import { type EgressSettings, type IpRange, ipRange, isInRange, type IpAddress, parseIp, type RefusalOfTarget } from '@app/configuration';
import { parseUrl } from '@app/kernel';

/** The source of an address: a request of a merchant or payer, or the operator's configuration file. */
export type AddressSource = 'request' | 'configuration';

/** The rules for outgoing calls (protocol decisions, section 6; safety, T16 and T17). */
export interface EgressPolicy {
  /** Ranges that may be called although they are not public. */
  readonly allow: readonly IpRange[];
  /** Ports open to addresses that a request brings; those from the configuration may use any. */
  readonly requestPorts: ReadonlySet<number>;
  readonly isPlainHttpOpen: boolean;
}

const USUAL_PORTS = [80, 443, 8080, 8443] as const;

export const egressPolicyOf = ({ allow, ports, plainHttp }: EgressSettings, isProduction: boolean): EgressPolicy =>
  Object.freeze({ allow, requestPorts: new Set([...USUAL_PORTS, ...ports]), isPlainHttpOpen: plainHttp || !isProduction });

/** Why an address is refused as a target. */
type AddressRefusal =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'documentation'
  | 'benchmark'
  | 'tunnel'
  | 'reserved';

const named = (refusal: AddressRefusal, ...ranges: string[]): [AddressRefusal, IpRange][] =>
  ranges.map((range) => [refusal, ipRange(range)]);

/**
 * The special-purpose addresses that the IANA registries (RFC 6890 and its successors) keep from the public network, and the addresses at which
 * clouds serve their machines' credentials.
 */
const NOT_PUBLIC: readonly (readonly [AddressRefusal, IpRange])[] = [
  ...named(
    'metadata',
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
  ),
  ...named('unspecified', '0.0.0.0/8', '::'),
  ...named('loopback', '127.0.0.0/8', '::1'),
  ...named('private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'),
  ...named('shared', '100.64.0.0/10'),
  ...named('link-local', '169.254.0.0/16', 'fe80::/10'),
  ...named('multicast', '224.0.0.0/4', 'ff00::/8'),
  ...named('documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'),
  ...named('benchmark', '198.18.0.0/15', '2001:2::/48'),
  // 6to4 and Teredo send to a relay that the operator did not choose; the local NAT64 prefix sends wherever its owner decides.
  ...named('tunnel', '192.88.99.0/24', '2002::/16', '2001::/32', '64:ff9b:1::/48'),
  ...named('reserved', '192.0.0.0/24', '240.0.0.0/4', '2001::/23'),
];

const MAPPED = ipRange('::ffff:0:0/96');
const NAT64 = ipRange('64:ff9b::/96');
const GLOBAL_UNICAST = ipRange('2000::/3');
const LOW_32_BITS = 0xffff_ffffn;

/** A NAT64 address reaches an IPv4 host, which must be public itself (safety, T16). */
const targetOf = (address: IpAddress): IpAddress =>
  isInRange(address, NAT64) ? ((MAPPED.first | (address & LOW_32_BITS)) as IpAddress) : address;

/** `undefined` where the address may be called: it is public, or the configuration opens it. An IPv4-mapped address is the IPv4 address. */
export const refusalOfAddress = (address: IpAddress, { allow }: EgressPolicy): AddressRefusal | undefined => {
  if (allow.some((range) => isInRange(address, range))) return undefined;
  const target = targetOf(address);
  const special = NOT_PUBLIC.find(([, range]) => isInRange(target, range));
  if (special !== undefined) return special[0];
  return isInRange(target, MAPPED) || isInRange(target, GLOBAL_UNICAST) ? undefined : 'reserved';
};

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
