import { IV_BYTES, openBox, sealBox, SealedBoxRefused, type ServiceKeyStream } from '@app/card-vault';
import type { GroupRole, Operator } from '@app/configuration';
import { afterEffect, FollowedStream, runDecision, StoreUnavailable, type Actor, type EventStore } from '@app/event-store';
import type { Clock, Ids, Instant, Random, Scheduler } from '@app/kernel';
import {
  endedSessions,
  endedSessionsCodec,
  endedSessionsStream,
  hasEnded,
  isOldEnd,
  SESSION_MS_MAX,
  type EndedSessions,
} from '../record/ended-sessions';

export const SESSION_IDLE_MS = 30 * 60_000;
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
  readonly store: EventStore;
  readonly scheduler: Scheduler;
  readonly onError: (error: unknown) => void;
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

/** Sessions of operators' browsers. Any process with the key ring opens them: the cookie holds all but its end, which is stored. */
export class OperatorSessions {
  readonly #ports: SessionPorts;
  readonly #key: Buffer;
  /** Answered sign-ins, with the time from which they are over anyway. Only of this process. */
  readonly #usedUp = new Map<string, Instant>();
  readonly #ended: FollowedStream<EndedSessions>;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#key = Buffer.from(ports.vault.keyStream('operator sessions', KEY_BYTES));
    this.#ended = new FollowedStream({
      ...ports,
      stream: endedSessionsStream(),
      initial: endedSessions.initial,
      evolve: (state, stored) => endedSessions.evolve(state, endedSessionsCodec.decode(stored)),
      isOver: (stored) => isOldEnd(stored, ports.clock.now()),
    });
  }

  start(): Promise<void> {
    return this.#ended.start();
  }

  stop(): void {
    this.#ended.stop();
  }

  begin(name: string, proof: SignInProof): OperatorSession {
    const now = this.#ports.clock.now();
    return { id: this.#ports.ids.next(), name, proof, startedAt: now, usedAt: now };
  }

  textOf(session: OperatorSession): string {
    return this.seal('session', session);
  }

  /**
   * Undefined if the session is over, or its operator may no longer sign in like this.
   * @throws StoreUnavailable if this process has not read the ended sessions yet
   */
  open(text: string): OpenSession | undefined {
    const session = this.unseal<OperatorSession>('session', text);
    const now = this.#ports.clock.now();
    if (session === undefined || now >= endOf(session) || hasEnded(this.#loaded().state, session)) return undefined;
    const operator = this.#operatorOf(session);
    if (operator === undefined) return undefined;
    if (now - session.usedAt < RENEWAL_MS) return { operator, session };
    const used = { ...session, usedAt: now };
    return { operator, session: used, renewed: this.textOf(used) };
  }

  /**
   * Ends a session and every copy of its cookie: here when it resolves, in other processes within seconds.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  end({ id }: OperatorSession, by: Actor): Promise<void> {
    return this.#decide({ type: 'EndSession', data: { session: id, now: this.#ports.clock.now() } }, by);
  }

  /**
   * Ends all sessions of an operator that have begun, in the same way. Tokens stay valid.
   * @returns false if there can be no such operator
   * @throws StoreUnavailable, OutcomeUnknown
   */
  async endAllOf(name: string, by: Actor): Promise<boolean> {
    const { operators, groups, clock } = this.#ports;
    // Only the provider knows the names of its people.
    if (groups().length === 0 && !operators().some((operator) => operator.name === name)) return false;
    await this.#decide({ type: 'EndSessions', data: { operator: name, now: clock.now() } }, by);
    return true;
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
    const sealed = Buffer.from(text, 'base64url');
    // A decoder ignores the last bits, so that another text would open the same session.
    if (!SEALED.test(text) || sealed.toString('base64url') !== text) return undefined;
    try {
      return JSON.parse(openBox(this.#key, sealed, Buffer.from(kind)).toString()) as Content;
    } catch (error) {
      if (error instanceof SealedBoxRefused) return undefined;
      throw error;
    }
  }

  #loaded() {
    const { loaded } = this.#ended;
    if (loaded === undefined) throw new StoreUnavailable('the ended sessions were not read yet');
    return loaded;
  }

  async #decide(command: Parameters<(typeof endedSessions)['decide']>[0], by: Actor): Promise<void> {
    const { store, ids } = this.#ports;
    const commandId = ids.next();
    await runDecision({
      store,
      codec: endedSessionsCodec,
      decider: endedSessions,
      stream: endedSessionsStream(),
      command,
      envelope: { correlation: commandId, causation: commandId, ...by, merchant: '', commandId, recordedAt: command.data.now },
      from: this.#loaded(),
    });
    await afterEffect(() => this.#ended.refresh());
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
