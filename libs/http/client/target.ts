import { type EgressSettings, type IpRange, ipRange, isInRange, type IpAddress, parseIp, type RefusalOfTarget } from '@app/configuration';
import { parseUrl } from '@app/kernel';

/** From a request of a merchant or payer, or from the operator's configuration. */
export type AddressSource = 'request' | 'configuration';

/** The rules for outgoing calls (protocol decisions, section 6; safety, T16 and T17). */
export interface EgressPolicy {
  readonly allow: readonly IpRange[];
  /** Allowed ports of addresses from requests; configured addresses may use any port. */
  readonly requestPorts: ReadonlySet<number>;
  readonly isPlainHttpOpen: boolean;
}

const USUAL_PORTS = [80, 443, 8080, 8443] as const;

export const egressPolicyOf = ({ allow, ports, plainHttp }: EgressSettings, isProduction: boolean): EgressPolicy =>
  Object.freeze({ allow, requestPorts: new Set([...USUAL_PORTS, ...ports]), isPlainHttpOpen: plainHttp || !isProduction });

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

/** Special-purpose addresses of the IANA registries (RFC 6890 and successors), and the addresses of cloud credentials. */
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
  // 6to4 and Teredo use relays that the operator did not choose; the local NAT64 prefix can lead anywhere.
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

/** `undefined` for a public or explicitly allowed address. An IPv4-mapped address counts as its IPv4 address. */
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
/** WHATWG parsing silently drops some of these, and another parser might not. */
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const refused = (reason: TargetRefusal): UrlCheck => ({ kind: 'refused', reason });

/** Without the brackets of an IPv6 literal and the final dot of an absolute name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** `localhost` and its subdomains are loopback, whatever a name server returns (RFC 6761, section 6.3). */
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
 * Checks scheme, user, port and a host that is an IP address in any notation, without DNS (safety, T16).
 * Runs when a request brings the address, so that accepting a payment never waits for DNS, and at every call. A name's addresses are
 * checked on connecting.
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

export const refusalOfConfiguredTarget: RefusalOfTarget = (address, egress, isProduction) => {
  const check = checkUrlAtAcceptance(address, egressPolicyOf(egress, isProduction), 'configuration');
  return check.kind === 'ok' ? undefined : check.reason;
};
