import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Scheduler } from '@app/kernel';
import { parseIp } from '@app/configuration';
import { watchStatus } from './answered-status';
import { refusalOfAddress } from './address-check';
import { NameNotResolved, type ResolveName } from './name-resolution';
import type { EgressPolicy } from './policy';
import { isLocalhost, LOCALHOST_ADDRESSES, type TargetRefusal } from './url-check';

/** The name has an address that must not be called. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly reason: TargetRefusal;

  constructor(reason: TargetRefusal) {
    super(`the target is refused: ${reason}`);
    this.reason = reason;
  }
}

const RESOLVE_MS_MAX = 5_000;
/** Limits one address, TLS included. */
const CONNECT_MS_MAX = 4_000;
/** No merchant's name has more addresses than this. */
const ADDRESSES_MAX = 64;
const ADDRESSES_TRIED_MAX = 3;

export interface ConnectorOptions {
  readonly policy: EgressPolicy;
  readonly resolveName: ResolveName;
  readonly scheduler: Scheduler;
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly trustedAuthorities?: string;
}

const resolvedInTime = ({ resolveName, scheduler }: ConnectorOptions, host: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const timer = scheduler.after(RESOLVE_MS_MAX, () => reject(new NameNotResolved('no name server answered in time')));
    resolveName(host)
      .finally(() => timer.cancel())
      .then(resolve, reject);
  });

/** One internal address makes the whole name refused: a public one beside it does not make it a merchant's. */
const checkedAddresses = async (host: string, options: ConnectorOptions): Promise<readonly string[]> => {
  const literal = parseIp(host);
  const isLocal = isLocalhost(host.replace(/\.$/, ''));
  const addresses = literal !== undefined ? [host] : isLocal ? LOCALHOST_ADDRESSES : await resolvedInTime(options, host);
  if (addresses.length === 0) throw new NameNotResolved('a name has no address');
  if (addresses.length > ADDRESSES_MAX) throw new TargetRefused('too-many-addresses');
  const refusals = addresses.map((address) => {
    const parsed = parseIp(address);
    return parsed === undefined ? 'malformed' : refusalOfAddress(parsed, options.policy);
  });
  const reason = refusals.find((refusal) => refusal !== undefined);
  if (reason === undefined) return addresses;
  const open = isLocal ? addresses.filter((_, index) => refusals[index] === undefined) : [];
  if (open.length === 0) throw new TargetRefused(reason);
  return open;
};

/**
 * Resolves a name once, checks all its addresses, and connects to one of them: between the check and the connection no name server
 * is asked again (safety, T16, F44). Host and SNI stay those of the name. A reused socket was checked when it was made.
 */
export const checkedConnector = (options: ConnectorOptions): buildConnector.connector => {
  const connect = buildConnector({
    timeout: CONNECT_MS_MAX,
    allowH2: false,
    autoSelectFamily: false,
    minVersion: 'TLSv1.2',
    // Set explicitly, for a variable of the environment could otherwise switch it off for the whole process.
    rejectUnauthorized: true,
    ...(options.trustedAuthorities === undefined ? {} : { ca: options.trustedAuthorities }),
  });
  const connectTo = (target: buildConnector.Options, address: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      connect({ ...target, hostname: address }, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(error);
      });
    });
  const connectToFirst = async (target: buildConnector.Options): Promise<Socket> => {
    const addresses = await checkedAddresses(target.hostname, options);
    let failure: unknown;
    for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      try {
        return await connectTo(target, address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return (target, callback) => {
    connectToFirst(target).then(
      (socket) => callback(null, watchStatus(socket)),
      (error: Error) => callback(error, null),
    );
  };
};
