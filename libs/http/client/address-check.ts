import { ipRange, isInRange, type IpAddress, type IpRange } from '@app/configuration';
import type { EgressPolicy } from './policy';

/** Why an address is refused as a target. */
export type AddressRefusal =
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
