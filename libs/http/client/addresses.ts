import { Resolver } from 'node:dns/promises';
import { parseIp } from '@app/configuration';
import type { Scheduler } from '@app/kernel';
import { isLocalhost, LOCALHOST_ADDRESSES, refusalOfAddress, type EgressPolicy, type TargetRefusal } from './target';

/**
 * A and AAAA records of a name in the order of use.
 * @throws Error if there are none
 */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved';
}

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** Limit of concurrent look-ups, so that unanswered names cannot pile up. */
const NAMES_IN_FLIGHT_MAX = 256;

/** Alternates the families, so that an unreachable family costs only one attempt. */
const interleaved = (a: readonly string[], b: readonly string[]): string[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, index) => [a[index], b[index]])
    .flat()
    .filter((address) => address !== undefined);

/**
 * Queries name servers directly. `getaddrinfo` has no time limit and blocks the thread pool if a few names hang. The hosts file and search
 * domains are therefore ignored.
 * `servers` (address or address:port) replace the system's.
 */
export const nameServerResolution = (servers?: readonly string[]): ResolveName => {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = interleaved(v4.status === 'fulfilled' ? v4.value : [], v6.status === 'fulfilled' ? v6.value : []);
    if (addresses.length === 0) throw new NameNotResolved('a name has no address');
    return addresses;
  };
};

/** Concurrent callers share one look-up of a name; nothing is cached after it. */
export const sharedResolution = (resolve: ResolveName): ResolveName => {
  const inFlight = new Map<string, Promise<readonly string[]>>();
  return (name) => {
    const asked = inFlight.get(name);
    if (asked !== undefined) return asked;
    if (inFlight.size >= NAMES_IN_FLIGHT_MAX) return Promise.reject(new NameNotResolved('too many names are being asked for'));
    const answer = resolve(name).finally(() => inFlight.delete(name));
    inFlight.set(name, answer);
    return answer;
  };
};

export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly reason: TargetRefusal;

  constructor(reason: TargetRefusal) {
    super(`the target is refused: ${reason}`);
    this.reason = reason;
  }
}

const RESOLVE_MS_MAX = 5_000;
const ADDRESSES_MAX = 64;

interface AddressChecks {
  readonly policy: EgressPolicy;
  readonly resolveName: ResolveName;
  readonly scheduler: Scheduler;
}

const resolvedInTime = ({ resolveName, scheduler }: AddressChecks, host: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const timer = scheduler.after(RESOLVE_MS_MAX, () => reject(new NameNotResolved('no name server answered in time')));
    resolveName(host)
      .finally(() => timer.cancel())
      .then(resolve, reject);
  });

/**
 * Resolves a host once and checks its addresses. One internal address refuses the whole name, even with public ones.
 * @throws TargetRefused, NameNotResolved
 */
export const checkedAddresses =
  (checks: AddressChecks) =>
  async (host: string): Promise<readonly string[]> => {
    const literal = parseIp(host);
    const isLocal = isLocalhost(host.replace(/\.$/, ''));
    const addresses = literal !== undefined ? [host] : isLocal ? LOCALHOST_ADDRESSES : await resolvedInTime(checks, host);
    if (addresses.length === 0) throw new NameNotResolved('a name has no address');
    if (addresses.length > ADDRESSES_MAX) throw new TargetRefused('too-many-addresses');
    const refusals = addresses.map((address) => {
      const parsed = parseIp(address);
      return parsed === undefined ? 'malformed' : refusalOfAddress(parsed, checks.policy);
    });
    const reason = refusals.find((refusal) => refusal !== undefined);
    if (reason === undefined) return addresses;
    const open = isLocal ? addresses.filter((_, index) => refusals[index] === undefined) : [];
    if (open.length === 0) throw new TargetRefused(reason);
    return open;
  };
