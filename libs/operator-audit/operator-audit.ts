import type { Clock, Ids, Instant, NonEmpty, Scheduled, Scheduler } from '@app/kernel';
import { appendKnown, hashOf, StoreUnavailable, type Actor, type EventStore, type Last } from '@app/event-store';
import { operatorAuditCodec, operatorStream } from './operator-audit.codec';
import type { OperatorAction, OperatorActionEnded, OperatorAuditEvent, RefusalCause } from './operator-audit.events';

export interface OperatorAuditPorts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scheduler: Scheduler;
  /** Names the stream of this process. */
  readonly bootId: string;
  /** What could not be written: it is tried again with what follows, and lost where the process ends first. */
  readonly onUnwritten: (error: unknown) => void;
}

/** Refusals of one cause and one operator are written once in so long, however many there are. */
export const REFUSAL_WINDOW_MS = 60_000;
/** Operators with a spell of their own at the same time; refusals of more are counted together. */
const SPELLS_MAX = 64;
/** Whom no token named. */
const NOBODY: Actor = { actor: 'unauthenticated' };

interface Spell {
  readonly cause: RefusalCause;
  readonly by: Actor;
  count: number;
  firstAt: Instant;
  lastAt: Instant;
  window: Scheduled;
}

/** What operators did at the port of this process, and what was refused there, as events in a stream that is its own. */
export class OperatorAudit {
  readonly #ports: OperatorAuditPorts;
  readonly #spells = new Map<string, Spell>();
  /** Undefined where the last append did not tell how the stream stands. */
  #last: Last | undefined = 'no_stream';
  #writing: Promise<unknown> = Promise.resolve();

  constructor(ports: OperatorAuditPorts) {
    this.#ports = ports;
  }

  /** @returns the id of the action. @throws StoreUnavailable where it is not on record, and must not be done */
  async begin(by: Actor, what: { readonly action: OperatorAction; readonly role: string; readonly target: string }): Promise<string> {
    const actionId = this.#ports.ids.next();
    const event: OperatorAuditEvent = { type: 'OperatorActionBegun', data: { actionId, ...what, begunAt: this.#ports.clock.now() } };
    try {
      await this.#write([event], by, actionId);
    } catch (error) {
      throw new StoreUnavailable(`the action is not on record: ${error instanceof Error ? error.message : String(error)}`);
    }
    return actionId;
  }

  /** What came of it; never fails, for it came of it all the same. */
  async end(by: Actor, actionId: string, outcome: OperatorActionEnded['data']['outcome']): Promise<void> {
    const event: OperatorAuditEvent = { type: 'OperatorActionEnded', data: { actionId, outcome, endedAt: this.#ports.clock.now() } };
    await this.#write([event], by, actionId).catch(this.#ports.onUnwritten);
  }

  /** The first of a spell is written at once, those that follow within the window as one event at its end: a flood costs the log no more. */
  refused(cause: RefusalCause, by: Actor = NOBODY): void {
    const now = this.#ports.clock.now();
    const name = `${cause} ${by.actor}`;
    const known = this.#spells.get(name);
    if (known === undefined && this.#spells.size >= SPELLS_MAX && by !== NOBODY) {
      this.refused(cause);
      return;
    }
    if (known === undefined) {
      const spell = { cause, by, count: 1, firstAt: now, lastAt: now, window: this.#window(name) };
      this.#spells.set(name, spell);
      this.#tell(spell);
      return;
    }
    if (known.count === 0) known.firstAt = now;
    known.count += 1;
    known.lastAt = now;
  }

  /** Writes what was counted. */
  async stop(): Promise<void> {
    for (const [name, spell] of this.#spells) {
      spell.window.cancel();
      this.#spells.delete(name);
      if (spell.count > 0) this.#tell(spell);
    }
    await this.#writing;
  }

  #window(name: string): Scheduled {
    return this.#ports.scheduler.after(REFUSAL_WINDOW_MS, () => {
      const spell = this.#spells.get(name);
      if (spell === undefined) return;
      if (spell.count === 0) {
        this.#spells.delete(name);
        return;
      }
      spell.window = this.#window(name);
      this.#tell(spell);
    });
  }

  #tell(spell: Spell): void {
    const { cause, by, count, firstAt, lastAt } = spell;
    spell.count = 0;
    const event: OperatorAuditEvent = { type: 'OperatorRequestsRefused', data: { cause, count, firstAt, lastAt } };
    // Not awaited: a refusal is answered whether the store is there or not.
    void this.#write([event], by, this.#ports.ids.next()).catch((error: unknown) => {
      spell.firstAt = firstAt;
      if (spell.count === 0) spell.lastAt = lastAt;
      spell.count += count;
      this.#ports.onUnwritten(error);
    });
  }

  /** One after the other: each follows from the one before it. */
  #write(events: NonEmpty<OperatorAuditEvent>, { actor, claimedActor }: Actor, actionId: string): Promise<void> {
    const writing = this.#writing.then(() =>
      this.#append(events, { actor, ...(claimedActor !== undefined && { claimedActor }) }, actionId),
    );
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #append(events: NonEmpty<OperatorAuditEvent>, by: Actor, actionId: string): Promise<void> {
    const { store, clock, ids, bootId } = this.#ports;
    const stream = operatorStream(bootId);
    const last = this.#last ?? (await this.#lastStored());
    const envelope = { correlation: actionId, causation: actionId, ...by, merchant: '', commandId: ids.next(), recordedAt: clock.now() };
    const encoded = operatorAuditCodec.encode(events, stream, last, envelope);
    this.#last = undefined;
    const answer = await appendKnown(store, stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
    if (answer.kind === 'conflict') throw new StoreUnavailable(`${stream}: another writes to it`);
    this.#last = { revision: answer.revision, hash: hashOf(encoded.at(-1) ?? encoded[0]) };
  }

  async #lastStored(): Promise<Last> {
    let last: Last = 'no_stream';
    for await (const event of this.#ports.store.read(operatorStream(this.#ports.bootId))) {
      last = { revision: event.revision, hash: hashOf(event) };
    }
    return last;
  }
}
