import type { EgressSettings, IpRange } from '@app/configuration';

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
