import type { Money } from '@app/kernel';
import type { GateSettings } from './gates/gate.schema';
import type { Accounts } from './merchants/accounts';
import type { Fault } from './reading/fault';
import type { IpRange } from './reading/scalars';
import type { Operator, SignInSettings } from './operator-token';

/** Additional targets of outgoing calls (protocol decisions, section 6; safety, T16 and T17). */
export interface EgressSettings {
  readonly allow: readonly IpRange[];
  /** Ports allowed for addresses in requests, in addition to 80, 8080, 443 and 8443. */
  readonly ports: ReadonlySet<number>;
  /** Allows http for addresses in requests, in production too. */
  readonly plainHttp: boolean;
}

/** Needs an approval from these amounts. Always, if it has no amount in the currency of the action. */
export interface ApprovalRule {
  readonly from: readonly Money[];
}

/** Actions of operators that a second person must approve; an absent rule requires none. */
export interface ApprovalRules {
  readonly resolveUnknown?: ApprovalRule;
  readonly refund?: ApprovalRule;
  readonly capture?: ApprovalRule;
  readonly void?: ApprovalRule;
  readonly applyCase?: ApprovalRule;
  readonly eraseOrder?: ApprovalRule;
  readonly releaseHold?: ApprovalRule;
  readonly applyConfiguration?: ApprovalRule;
}

/** The validated configuration file. A running process replaces it as a whole. */
export interface Configuration<Gate extends GateSettings = GateSettings> {
  /** Scheme, host and port, without a trailing slash. */
  readonly publicBaseUrl: string;
  readonly pathPrefix: string;
  readonly egress: EgressSettings;
  /** Divides every interval of the retry schedule. */
  readonly callbacks: { readonly speedFactor: number };
  readonly groupB: {
    readonly httpErrors: 'always-200' | 'status-codes';
    readonly notificationWaitMs: number;
    readonly feeChoiceMs: number;
  };
  readonly threeDSecure: { readonly payerMs: number };
  readonly retention: {
    readonly refusedCardMs?: number;
    readonly unusedCardMs?: number;
    readonly expiredCardMs?: number;
    readonly personalDataMs?: number;
  };
  /** Per merchant; 0 means unlimited. */
  readonly rateLimit: { readonly requestsPerSecond: number };
  /** Must exceed the load balancer's idle time, which would otherwise send requests into a closing connection. */
  readonly keepAliveMs: number;
  readonly documents: 'off' | 'on';
  readonly approvals: ApprovalRules;
  readonly operators: readonly Operator[];
  /** Undefined without a provider; always a member, so that a view of a live configuration shows a later one. */
  readonly signIn: SignInSettings | undefined;
  /** Format of new order ids; both formats are accepted. */
  readonly orderIds: 'numeric' | 'text';
  readonly accounts: Accounts<Gate>;
  /** Settings that would be faults in production. */
  readonly warnings: readonly Fault[];
}
