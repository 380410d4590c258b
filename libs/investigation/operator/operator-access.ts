import { timingSafeEqual } from 'node:crypto';
import { OPERATOR_ROLES, type OperatorRole, isOperatorToken, sha256OfToken, type Operator } from '@app/configuration';
import { OutcomeUnknown, type Actor } from '@app/event-store';
import type { ServiceDigests } from '@app/card-vault';
import type { OperatorAction, OperatorQuery } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';

/** The requests of the operator port that need a token. */
export type OperatorRequestName =
  | 'list-unknown'
  | 'read-metrics'
  | 'list-gates'
  | 'explain-route'
  | 'find-orders'
  | 'show-order'
  | 'list-deliveries'
  | 'list-cases'
  | 'list-orders'
  | 'search-orders'
  | 'show-order-as-of'
  | 'diff-order'
  | 'explain-order'
  | 'list-unknown-as-of'
  | 'order-trail'
  | 'reveal-order'
  | 'order-evidence'
  | 'configuration-in-force'
  | 'list-keys'
  | OperatorAction;

/** The lowest role that may make each request. There is none to rebuild read models, since `orch rebuild` works on their tables itself. */
export const LEAST_ROLES: Readonly<Record<OperatorRequestName, OperatorRole>> = {
  // A viewer gets it without card data: see `withoutPersonalData`.
  'list-unknown': 'viewer',
  // Without a token, too, unless OPERATOR_METRICS asks for one.
  'read-metrics': 'viewer',
  'list-gates': 'viewer',
  'explain-route': 'viewer',
  'find-orders': 'investigator',
  'show-order': 'investigator',
  'list-deliveries': 'investigator',
  'list-cases': 'investigator',
  'list-orders': 'investigator',
  'search-orders': 'investigator',
  'show-order-as-of': 'investigator',
  'diff-order': 'investigator',
  'explain-order': 'investigator',
  'list-unknown-as-of': 'investigator',
  'order-trail': 'investigator',
  // With grounds, which are on record before what is sealed is told.
  'reveal-order': 'investigator',
  'order-evidence': 'investigator',
  'configuration-in-force': 'investigator',
  'list-keys': 'operator',
  'settle-unknown': 'operator',
  'record-report': 'operator',
  'resend-delivery': 'operator',
  'unpark-stream': 'operator',
  'open-cases': 'operator',
  'close-case': 'operator',
  'inquire-gate': 'operator',
  'place-hold': 'operator',
  // What they change cannot be had back, or lets others change it.
  'erase-order': 'admin',
  'erase-card': 'admin',
  'release-hold': 'admin',
  // It opens the personal data of every order of a merchant.
  'find-customer': 'admin',
  // It changes a final status.
  'apply-case': 'admin',
};

const mayAsk = (role: OperatorRole, wanted: OperatorRequestName): boolean => isAtLeast(role, LEAST_ROLES[wanted]);

export const seesPersonalData = (role: OperatorRole): boolean => isAtLeast(role, 'investigator');

const isAtLeast = (role: OperatorRole, least: OperatorRole): boolean => OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);

export interface AccessRefused {
  readonly status: 401 | 403;
  readonly error: string;
}

const BEARER = /^Bearer ([!-~]{1,256})$/i;
const UNAUTHENTICATED: AccessRefused = { status: 401, error: 'a token of an operator is required' };

/** Marks an operator among the actors of events: merchants and reactors have other names. */
const actorOf = ({ name }: Pick<Operator, 'name'>): string => `operator:${name}`;

/** Authenticates a caller of the operator port by the token in `Authorization`, and authorises it by its role. */
export class OperatorAccess {
  readonly #operators: readonly { readonly operator: Operator; readonly digest: Buffer }[];

  constructor(
    operators: readonly Operator[],
    private readonly audit: Pick<OperatorAudit, 'refused'>,
  ) {
    this.#operators = operators.map((operator) => ({ operator, digest: Buffer.from(operator.tokenSha256, 'hex') }));
  }

  admit(
    authorization: string | undefined,
    wanted: OperatorRequestName,
  ): { readonly operator: Operator } | { readonly refused: AccessRefused } {
    const operator = this.#operatorOf(authorization);
    if (operator === undefined) {
      this.audit.refused('credentials');
      return { refused: UNAUTHENTICATED };
    }
    if (mayAsk(operator.role, wanted)) return { operator };
    this.audit.refused('role', { actor: actorOf(operator) });
    return { refused: { status: 403, error: `the role ${operator.role} may not ${wanted}` } };
  }

  /** The token is compared with that of every operator, so that the time of an answer does not show how close a guess was. */
  #operatorOf(authorization: string | undefined): Operator | undefined {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined || !isOperatorToken(token)) return undefined;
    const digest = Buffer.from(sha256OfToken(token), 'hex');
    let found: Operator | undefined;
    for (const known of this.#operators) if (timingSafeEqual(known.digest, digest)) found = known.operator;
    return found;
  }
}

/** The authenticated operator, with the actor that the request claims. */
export interface ActingOperator {
  readonly operator: Operator;
  readonly claimedActor: string | undefined;
}

/** For questions that name nobody for whom they are asked. */
export const actingAlone = (operator: Operator): ActingOperator => ({ operator, claimedActor: undefined });

/** Who is written down as the actor. */
export const byOf = ({ operator, claimedActor }: ActingOperator): Actor => ({
  actor: actorOf(operator),
  ...(claimedActor !== undefined && { claimedActor }),
});

/** What is done, and on what. */
interface Acted<Answer extends { readonly reason: string }> {
  readonly action: OperatorAction;
  readonly target: string;
  /** The answers of an action that was done. */
  readonly done: readonly Answer['reason'][];
}

/**
 * Records an action with its actor before it is done, and its outcome afterwards.
 * @throws StoreUnavailable where the action is not on record: it is not done
 */
export const act = async <Answer extends { readonly reason: string }>(
  audit: Pick<OperatorAudit, 'begin' | 'end'>,
  acting: ActingOperator,
  { action, target, done }: Acted<Answer>,
  run: (by: Actor) => Promise<Answer>,
): Promise<Answer> => {
  const by = byOf(acting);
  const actionId = await audit.begin(by, { action, target, role: acting.operator.role });
  try {
    const answer = await run(by);
    await audit.end(by, actionId, done.includes(answer.reason) ? 'done' : 'refused');
    return answer;
  } catch (error) {
    await audit.end(by, actionId, error instanceof OutcomeUnknown ? 'unknown' : 'failed');
    throw error;
  }
};

/** A question as it was answered. */
interface AnsweredQuestion {
  readonly query: OperatorQuery;
  /** The order that it was about, where there is one. */
  readonly orderId?: string;
  /** What it was narrowed by. */
  readonly question: object;
  readonly rows: number;
}

/** Puts a question on record before its answer leaves: by whom it was, by what it was narrowed, and the keyed digest of that. */
export class QuestionsOnRecord {
  constructor(
    private readonly audit: Pick<OperatorAudit, 'answered'>,
    private readonly digests: Pick<ServiceDigests, 'onceKey'>,
  ) {}

  /** @throws StoreUnavailable where it is not on record, and must not be answered */
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
