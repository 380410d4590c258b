import { Resolver } from 'node:dns/promises';

/** The addresses of a name, A and AAAA records, in the order in which they should be tried. @throws Error where there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved';
}

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** Names asked for at once; more fail, so that names without an answer cannot pile up. */
const NAMES_IN_FLIGHT_MAX = 256;

/** Alternates the families, so that the other is tried soon where one cannot be reached. */
const interleaved = (a: readonly string[], b: readonly string[]): string[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, index) => [a[index], b[index]])
    .flat()
    .filter((address) => address !== undefined);

/**
 * Asks the name servers themselves, not `getaddrinfo`: that would run in the thread pool, where a few names without an answer hold up all
 * others, and takes no time limit. Names of the hosts file and of search domains are therefore not known here. `servers` (address or
 * address:port) replace the system's.
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

/** Callers that ask for one name at the same moment share one answer; nothing is remembered after it. */
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
