import { IV_BYTES, openBox, sealBox, SealedBoxRefused, type ServiceKeyStream } from '@app/card-vault';
import type { GroupRole, Operator } from '@app/configuration';
import type { Clock, Ids, Instant, Random } from '@app/kernel';

export const SESSION_IDLE_MS = 30 * 60_000;
const SESSION_MS_MAX = 10 * 3_600_000;
/** Pages ask often: a session is renewed once in this time. */
const RENEWAL_MS = 60_000;

const KEY_BYTES = 32;
/** A browser keeps at most 4,096 bytes of a cookie. */
const SEALED = /^[A-Za-z0-9_-]{40,3000}$/;
const USED_UP_MAX = 10_000;

/** What the operator proved at sign-in: the token with this digest, or membership of a group of the house. */
export type SignInProof = { readonly token: string } | { readonly group: string };

/** In a sealed cookie, and stored nowhere else. */
export interface OperatorSession {
  readonly id: string;
  readonly name: string;
  readonly proof: SignInProof;
  readonly startedAt: Instant;
  readonly usedAt: Instant;
}

export interface OpenSession {
  readonly operator: Operator;
  readonly session: OperatorSession;
  /** The cookie's next value, if the session is to be renewed. */
  readonly renewed?: string;
}

interface SessionPorts {
  /** Read at each request, so that a removed operator's session ends at once. */
  readonly operators: () => readonly Operator[];
  readonly groups: () => readonly GroupRole[];
  readonly vault: ServiceKeyStream;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Pick<Random, 'bytes'>;
}

/** The operator of a group. Its name must be no configured operator's, whose actions it would claim. */
export const houseOperator = (
  name: string,
  { role, merchants }: GroupRole,
  operators: readonly Pick<Operator, 'name'>[],
): Operator | undefined =>
  operators.some((operator) => operator.name === name)
    ? undefined
    : // Never in the list of operators, so no token has this digest.
      { name, role, tokenSha256: '', ...(merchants !== undefined && { merchants }) };

export const endOf = ({ startedAt, usedAt }: Pick<OperatorSession, 'startedAt' | 'usedAt'>): Instant =>
  Math.min(startedAt + SESSION_MS_MAX, usedAt + SESSION_IDLE_MS) as Instant;

/** Sessions of operators' browsers. Any process with the key ring opens them, since the cookie is all there is. */
export class OperatorSessions {
  readonly #ports: SessionPorts;
  readonly #key: Buffer;
  /** Ended sessions and answered sign-ins, with the time from which they are over anyway. Only of this process. */
  readonly #usedUp = new Map<string, Instant>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#key = Buffer.from(ports.vault.keyStream('operator sessions', KEY_BYTES));
  }

  begin(name: string, proof: SignInProof): OperatorSession {
    const now = this.#ports.clock.now();
    return { id: this.#ports.ids.next(), name, proof, startedAt: now, usedAt: now };
  }

  textOf(session: OperatorSession): string {
    return this.seal('session', session);
  }

  /** Undefined if the session is over, or its operator may no longer sign in like this. */
  open(text: string): OpenSession | undefined {
    const session = this.unseal<OperatorSession>('session', text);
    const now = this.#ports.clock.now();
    if (session === undefined || now >= endOf(session) || this.#usedUp.has(session.id)) return undefined;
    const operator = this.#operatorOf(session);
    if (operator === undefined) return undefined;
    if (now - session.usedAt < RENEWAL_MS) return { operator, session };
    const used = { ...session, usedAt: now };
    return { operator, session: used, renewed: this.textOf(used) };
  }

  end({ id, startedAt }: OperatorSession): void {
    this.useUp(id, (startedAt + SESSION_MS_MAX) as Instant);
  }

  /** False if it was used up before. Forgets the oldest beyond a limit, which only operators can reach. */
  useUp(id: string, until: Instant): boolean {
    if (this.#usedUp.has(id)) return false;
    const now = this.#ports.clock.now();
    for (const [known, over] of this.#usedUp) {
      if (over > now && this.#usedUp.size < USED_UP_MAX) break;
      this.#usedUp.delete(known);
    }
    this.#usedUp.set(id, until);
    return true;
  }

  /** @param kind bound in, so that no text is taken for one of another kind */
  seal(kind: string, content: object): string {
    const iv = this.#ports.random.bytes(IV_BYTES);
    return sealBox(this.#key, iv, Buffer.from(JSON.stringify(content)), Buffer.from(kind)).toString('base64url');
  }

  unseal<Content>(kind: string, text: string): Content | undefined {
    if (!SEALED.test(text)) return undefined;
    try {
      return JSON.parse(openBox(this.#key, Buffer.from(text, 'base64url'), Buffer.from(kind)).toString()) as Content;
    } catch (error) {
      if (error instanceof SealedBoxRefused) return undefined;
      throw error;
    }
  }

  #operatorOf({ name, proof }: OperatorSession): Operator | undefined {
    const operators = this.#ports.operators();
    if ('token' in proof) return operators.find((operator) => operator.name === name && operator.tokenSha256 === proof.token);
    const role = this.#ports.groups().find(({ group }) => group === proof.group);
    return role && houseOperator(name, role, operators);
  }
}

const FAILURES_MAX = 5;
const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

/** Counts failed sign-ins of each address for a minute. */
export class SignInFailures {
  readonly #failures = new Map<string, { count: number; readonly since: Instant }>();

  constructor(private readonly clock: Clock) {}

  isBlocked(address: string): boolean {
    const failed = this.#failures.get(address);
    return failed !== undefined && failed.count >= FAILURES_MAX && this.clock.now() - failed.since < WINDOW_MS;
  }

  /** Beyond the limit of addresses the oldest is forgotten: a token cannot be guessed, so the limit only spares the log. */
  add(address: string): void {
    const now = this.clock.now();
    const failed = this.#failures.get(address);
    if (failed !== undefined && now - failed.since < WINDOW_MS) {
      failed.count += 1;
      return;
    }
    this.#failures.delete(address);
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size >= ADDRESSES_MAX) this.#failures.delete(oldest);
    this.#failures.set(address, { count: 1, since: now });
  }
}
