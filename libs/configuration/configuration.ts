import type { GateSettings } from './gates/gate.schema';
import type { Accounts } from './merchants/accounts';
import type { Fault } from './reading/fault';
import type { IpRange } from './reading/scalars';
import type { Operator } from './operator-token';

/** Targets of outgoing calls beyond public addresses and the usual ports (protocol decisions, section 6; safety, T16 and T17). */
export interface EgressSettings {
  /** Private ranges that may be called. */
  readonly allow: readonly IpRange[];
  /** Ports open to addresses that a request brings, beside 80, 8080, 443 and 8443. */
  readonly ports: ReadonlySet<number>;
  /** Allows http for addresses that a request brings, in production too. */
  readonly plainHttp: boolean;
}

/** The whole of the configuration file, checked; immutable for the life of the process. `Gate` is the union of the adapters' settings, where they matter. */
export interface Configuration<Gate extends GateSettings = GateSettings> {
  /** Scheme, host and port, without a trailing slash. */
  readonly publicBaseUrl: string;
  /** Empty, or begins with a slash and ends with none. */
  readonly pathPrefix: string;
  readonly egress: EgressSettings;
  /** Divides every gap of the repeat schedule. */
  readonly callbacks: { readonly speedFactor: number };
  readonly groupB: {
    readonly httpErrors: 'always-200' | 'status-codes';
    readonly notificationWaitMs: number;
    readonly feeChoiceMs: number;
  };
  readonly threeDSecure: { readonly payerMs: number };
  /** How long what is kept; a rule that is absent erases nothing by age. */
  readonly retention: {
    readonly refusedCardMs?: number;
    readonly unusedCardMs?: number;
    readonly expiredCardMs?: number;
    readonly personalDataMs?: number;
  };
  /** Per merchant; 0 is none. */
  readonly rateLimit: { readonly requestsPerSecond: number };
  /** After so long between two requests a connection is closed: longer than a balancer keeps it, which else sends a request into the end. */
  readonly keepAliveMs: number;
  /** Whether the public port offers the documents of its APIs. */
  readonly documents: 'off' | 'on';
  /** Operators who may use the operator port; no two share a name or a token. */
  readonly operators: readonly Operator[];
  /** The form of the ids that new orders get; both forms are read. */
  readonly orderIds: 'numeric' | 'text';
  readonly accounts: Accounts<Gate>;
  /** Settings that would be faults in production. */
  readonly warnings: readonly Fault[];
}
