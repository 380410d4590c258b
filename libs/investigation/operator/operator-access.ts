import { timingSafeEqual } from 'node:crypto';
import {
  OPERATOR_ROLES,
  type Accounts,
  type GateSettings,
  type OperatorRole,
  isOperatorToken,
  sha256OfToken,
  type Operator,
} from '@app/configuration';
import { OutcomeUnknown, type Actor } from '@app/event-store';
import type { MerchantLogin, Sealed } from '@app/kernel';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { ACTION_REASON, type OperatorAction, type OperatorQuery } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';

/** An approval's proposal, and an action without one, are recorded for the request of the action itself. */
type RequestedAction = Exclude<OperatorAction, 'propose-action' | 'act-alone'>;

/** Minimum role of each request. Rebuilding read models needs none: `orch rebuild` works directly on their tables. */
export const LEAST_ROLES = {
  // Viewers get no card data: see `withoutPersonalData`.
  'list-unknown': 'viewer',
  // Needs no token unless OPERATOR_METRICS requires one.
  'read-metrics': 'viewer',
  'sign-in': 'viewer',
  'sign-out': 'viewer',
  'show-session': 'viewer',
  'end-sessions': 'admin',
  'list-gates': 'viewer',
  'list-holds': 'viewer',
  'configuration-status': 'viewer',
  'check-configuration': 'operator',
  'configuration-forecast': 'investigator',
  'apply-configuration': 'admin',
  'explain-route': 'viewer',
  // Ids and event types only.
  'read-feed': 'viewer',
  'show-log': 'viewer',
  'list-checkpoints': 'viewer',
  'prove-consistency': 'viewer',
  'order-steps': 'investigator',
  'show-event': 'investigator',
  'prove-event': 'investigator',
  'case-effect': 'investigator',
  'list-what-ifs': 'investigator',
  'show-what-if': 'investigator',
  'what-if-orders': 'investigator',
  // They change nothing but their own result.
  'start-what-if': 'investigator',
  'stop-what-if': 'investigator',
  'find-orders': 'investigator',
  'show-order': 'investigator',
  'list-deliveries': 'investigator',
  // Callbacks without card or customer data.
  'find-deliveries': 'viewer',
  'list-activity': 'investigator',
  'list-disputes': 'viewer',
  'list-parked': 'viewer',
  'show-overview': 'viewer',
  'list-projections': 'viewer',
  'preview-retention': 'viewer',
  'list-cases': 'investigator',
  'list-orders': 'investigator',
  'search-orders': 'investigator',
  'show-order-as-of': 'investigator',
  'diff-order': 'investigator',
  'explain-order': 'investigator',
  'list-unknown-as-of': 'investigator',
  'order-trail': 'investigator',
  // With a reason, which is recorded before sealed data are returned.
  'reveal-order': 'investigator',
  'order-evidence': 'investigator',
  'list-approvals': 'investigator',
  'show-approval': 'investigator',
  'configuration-in-force': 'investigator',
  'list-keys': 'operator',
  'settle-unknown': 'operator',
  'record-report': 'operator',
  'resend-delivery': 'operator',
  'resend-deliveries': 'operator',
  'unpark-stream': 'operator',
  'open-cases': 'operator',
  'close-case': 'operator',
  'inquire-gate': 'operator',
  'place-hold': 'operator',
  'return-order': 'operator',
  'capture-order': 'operator',
  'void-order': 'operator',
  'hold-gate': 'operator',
  'release-gate': 'operator',
  'hold-endpoint': 'operator',
  'release-endpoint': 'operator',
  // Approver and proposer also need the role of the action.
  'approve-action': 'operator',
  'reject-action': 'operator',
  'execute-action': 'operator',
  // Irreversible, or permits irreversible changes.
  'erase-order': 'admin',
  'erase-card': 'admin',
  'release-hold': 'admin',
  // Decrypts personal data of every order of a merchant.
  'find-customer': 'admin',
  'apply-case': 'admin',
} as const satisfies Readonly<Record<RequestedAction, OperatorRole> & Record<string, OperatorRole>>;

export type OperatorRequestName = keyof typeof LEAST_ROLES;

/** The merchants whose orders an operator may see and change, of those configured. */
export const merchantsSeenBy = (
  { merchants }: Pick<Operator, 'merchants'>,
  configured: readonly MerchantLogin[],
): readonly MerchantLogin[] => (merchants === undefined ? configured : configured.filter((login) => merchants.includes(login)));

/** The same, narrowed to one merchant if a request names it. The configuration may no longer have that merchant. */
export const merchantsAsked = (
  operator: Pick<Operator, 'merchants'>,
  configured: readonly MerchantLogin[],
  merchant: string | undefined,
): readonly MerchantLogin[] => {
  if (merchant === undefined) return merchantsSeenBy(operator, configured);
  return seesMerchant(operator, merchant) ? [merchant as MerchantLogin] : [];
};

/** The same for a list; undefined for all, including merchants that are no longer configured. */
export const merchantsListed = (
  operator: Pick<Operator, 'merchants'>,
  configured: readonly MerchantLogin[],
  merchant: string | undefined,
): readonly MerchantLogin[] | undefined =>
  operator.merchants === undefined && merchant === undefined ? undefined : merchantsAsked(operator, configured, merchant);

export const seesMerchant = ({ merchants }: Pick<Operator, 'merchants'>, merchant: string | undefined): boolean =>
  merchants === undefined || (merchant !== undefined && merchants.some((login) => login === merchant));

/** All gates; for a limited operator, the gates of its merchants' endpoints. */
export const gatesSeenBy = (
  operator: Pick<Operator, 'merchants'>,
  { gates, merchants }: Pick<Accounts, 'gates' | 'merchants'>,
): readonly GateSettings[] => {
  if (operator.merchants === undefined) return gates;
  const endpoints = merchants.filter(({ login }) => seesMerchant(operator, login)).flatMap((merchant) => merchant.endpoints);
  const named = new Set(endpoints.flatMap((endpoint) => endpoint.gates));
  return gates.filter(({ alias }) => named.has(alias));
};

/** Requests about the whole service, which would show or change what belongs to other merchants. */
const WHOLE_SERVICE: ReadonlySet<OperatorRequestName> = new Set<OperatorRequestName>([
  'read-metrics',
  'end-sessions',
  'configuration-in-force',
  'list-keys',
  'open-cases',
  'inquire-gate',
  'hold-gate',
  'release-gate',
  'list-parked',
  'configuration-status',
  'configuration-forecast',
  'check-configuration',
  'apply-configuration',
]);

export const mayAsk = (role: OperatorRole, wanted: OperatorRequestName): boolean => isAtLeast(role, LEAST_ROLES[wanted]);

export const seesPersonalData = (role: OperatorRole): boolean => isAtLeast(role, 'investigator');

const isAtLeast = (role: OperatorRole, least: OperatorRole): boolean => OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);

export interface AccessRefused {
  readonly status: 401 | 403 | 429;
  readonly error: string;
}

const BEARER = /^Bearer ([!-~]{1,256})$/i;
const UNAUTHENTICATED: AccessRefused = { status: 401, error: 'a valid operator token or session is required' };

const faultOf = ({ role, merchants }: Operator, wanted: OperatorRequestName): string | undefined => {
  if (!mayAsk(role, wanted)) return `${wanted} needs the role ${LEAST_ROLES[wanted]}, and this operator has ${role}`;
  return merchants !== undefined && WHOLE_SERVICE.has(wanted)
    ? `${wanted} concerns the whole service, so an operator limited to merchants may not use it`
    : undefined;
};

/** The prefix distinguishes operators from merchants and reactors among the actors of events. */
const actorOf = ({ name }: Pick<Operator, 'name'>): string => `operator:${name}`;

/** Authenticates a caller of the operator port by the token in `Authorization`, and authorises it by its role. */
export class OperatorAccess {
  /** @param operators read at each request, so that the token of a removed operator ends at once */
  constructor(
    private readonly operators: () => readonly Operator[],
    private readonly audit: Pick<OperatorAudit, 'refused'>,
  ) {}

  admit(
    authorization: string | undefined,
    wanted: OperatorRequestName,
  ): { readonly operator: Operator } | { readonly refused: AccessRefused } {
    return this.permit(this.#operatorOf(authorization), wanted);
  }

  /** @param operator authenticated in another way; undefined if that failed */
  permit(
    operator: Operator | undefined,
    wanted: OperatorRequestName,
  ): { readonly operator: Operator } | { readonly refused: AccessRefused } {
    if (operator === undefined) {
      this.audit.refused('credentials');
      return { refused: UNAUTHENTICATED };
    }
    const error = faultOf(operator, wanted);
    if (error === undefined) return { operator };
    this.audit.refused('role', { actor: actorOf(operator) });
    return { refused: { status: 403, error } };
  }

  /** A browser sends the cookie of a session with requests of any page, so a change must come from a page of the port. */
  refusePage(): { readonly refused: AccessRefused } {
    this.audit.refused('browser-page');
    return { refused: { status: 403, error: 'with a session, a change needs the Origin of this port' } };
  }

  /** Undefined for a token of no operator. */
  operatorWith(token: string): Operator | undefined {
    return this.#operatorOf(`Bearer ${token}`);
  }

  /** Compares the token with every operator's, so that response times do not reveal a partial match. */
  #operatorOf(authorization: string | undefined): Operator | undefined {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined || !isOperatorToken(token)) return undefined;
    const digest = Buffer.from(sha256OfToken(token), 'hex');
    let found: Operator | undefined;
    for (const operator of this.operators()) if (timingSafeEqual(Buffer.from(operator.tokenSha256, 'hex'), digest)) found = operator;
    return found;
  }
}

export interface ActingOperator {
  readonly operator: Operator;
  readonly claimedActor: string | undefined;
  /** The approval that permits the action: the cause of the action's events. */
  readonly cause?: string;
}

export const actingFor = (operator: Operator, { actor }: { readonly actor?: string }): ActingOperator => ({
  operator,
  claimedActor: actor,
});

export const actingAlone = (operator: Operator): ActingOperator => ({ operator, claimedActor: undefined });

export const byOf = ({ operator, claimedActor, cause }: ActingOperator): Actor => ({
  actor: actorOf(operator),
  ...(claimedActor !== undefined && { claimedActor }),
  ...(cause !== undefined && { causation: cause }),
});

interface Acted<Answer extends { readonly reason: string }> {
  readonly action: OperatorAction;
  readonly target: string;
  readonly done: readonly Answer['reason'][];
  /** If no other event of the action has it. */
  readonly reason?: Sealed;
}

/** Of an action on a merchant's data; without a merchant, on the service. @throws VaultUnavailable */
export const sealedReason = async (sealer: Pick<OrderSealer, 'takeKey'>, reason: string, merchant = ''): Promise<Sealed> =>
  (await sealer.takeKey()).seal(merchant as MerchantLogin, ACTION_REASON, reason);

/**
 * Records an action with its actor before it is executed, and its outcome afterwards.
 * @throws StoreUnavailable if the action is not recorded; then it is not executed
 */
export const act = async <Answer extends { readonly reason: string }>(
  audit: Pick<OperatorAudit, 'begin' | 'end'>,
  acting: ActingOperator,
  { done, ...what }: Acted<Answer>,
  run: (by: Actor) => Promise<Answer>,
): Promise<Answer> => {
  const by = byOf(acting);
  const actionId = await audit.begin(by, { ...what, role: acting.operator.role });
  try {
    const answer = await run(by);
    await audit.end(by, actionId, done.includes(answer.reason) ? 'done' : 'refused');
    return answer;
  } catch (error) {
    await audit.end(by, actionId, error instanceof OutcomeUnknown ? 'unknown' : 'failed');
    throw error;
  }
};

interface AnsweredQuestion {
  readonly query: OperatorQuery;
  readonly orderId?: string;
  readonly question: object;
  readonly rows: number;
}

/** Records a query before its answer is sent: operator, filters and their keyed digest. */
export class QueryAudit {
  constructor(
    private readonly audit: Pick<OperatorAudit, 'answered'>,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /** @throws StoreUnavailable if it is not recorded, and must not be answered */
  async answered(acting: ActingOperator, { query, orderId, question, rows }: AnsweredQuestion): Promise<void> {
    const given = Object.entries(question as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined);
    const parts = given.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, value]) => [name, String(value)]);
    await this.audit.answered(byOf(acting), {
      query,
      role: acting.operator.role,
      ...(orderId !== undefined && { target: orderId }),
      filters: given.map(([name]) => name),
      digest: this.digests.onceKey('audit question', [query, orderId ?? '', ...parts]),
      format: 'json',
      rows,
    });
  }
}
