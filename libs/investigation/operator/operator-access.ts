import { timingSafeEqual } from 'node:crypto';
import { isOperatorToken, sha256OfToken, type Operator } from '@app/configuration';
import type { OperatorAudit } from '../record/operator-audit';
import { mayAsk, type OperatorRequestName } from './operator-roles';

export interface AccessRefused {
  readonly status: 401 | 403;
  readonly error: string;
}

const BEARER = /^Bearer ([!-~]{1,256})$/i;
const UNAUTHENTICATED: AccessRefused = { status: 401, error: 'a token of an operator is required' };

/** Marks an operator among the actors of events: merchants and reactors have other names. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => `operator:${name}`;

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
