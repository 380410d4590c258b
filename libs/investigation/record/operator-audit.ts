import type { Clock, Ids, Instant, NonEmpty, Scheduled, Scheduler } from '@app/kernel';
import { appendKnown, hashOf, StoreUnavailable, type Actor, type EventStore, type Last } from '@app/event-store';
import {
  operatorAuditCodec,
  operatorStream,
  type OperatorAction,
  type OperatorActionBegun,
  type OperatorActionEnded,
  type OperatorAuditEvent,
  type OperatorQueryAnswered,
  type RefusalCause,
} from './operator-audit.events';

interface OperatorAuditPorts {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scheduler: Scheduler;
  readonly bootId: string;
  /** Receives the error of a failed append. Its events are retried with the next ones, and lost if the process ends first. */
  readonly onUnwritten: (error: unknown) => void;
  readonly listener?: Pick<OperatorAuditListener, 'acted' | 'revealed' | 'refused'> | undefined;
}

export interface OperatorAuditListener {
  unwritten(error: unknown): void;
  acted(action: OperatorAction): void;
  revealed(): void;
  refused(cause: RefusalCause): void;
}

/** Refusals of one cause and operator are appended at most once in this time. */
export const REFUSAL_WINDOW_MS = 60_000;
const BURSTS_MAX = 64;
const UNAUTHENTICATED: Actor = { actor: 'unauthenticated' };

interface Burst {
  readonly cause: RefusalCause;
  readonly by: Actor;
  count: number;
  firstAt: Instant;
  lastAt: Instant;
  window: Scheduled;
}

/** Records operator activity and refusals of this process, in the process's own stream. */
export class OperatorAudit {
  readonly #ports: OperatorAuditPorts;
  readonly #bursts = new Map<string, Burst>();
  /** Undefined if the last append did not return the stream's revision. */
  #last: Last | undefined = 'no_stream';
  #writing: Promise<unknown> = Promise.resolve();

  constructor(ports: OperatorAuditPorts) {
    this.#ports = ports;
  }

  /**
   * @returns the id of the action
   * @throws StoreUnavailable if it is not recorded, and must not be executed
   */
  async begin(by: Actor, what: Omit<OperatorActionBegun['data'], 'actionId' | 'begunAt'>): Promise<string> {
    const actionId = this.#ports.ids.next();
    const event: OperatorAuditEvent = { type: 'OperatorActionBegun', data: { actionId, ...what, begunAt: this.#ports.clock.now() } };
    try {
      await this.#write([event], by, actionId);
    } catch (error) {
      throw new StoreUnavailable(`the action was not recorded: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#ports.listener?.acted(what.action);
    return actionId;
  }

  /** Never throws, because the action has already been executed. */
  async end(by: Actor, actionId: string, outcome: OperatorActionEnded['data']['outcome']): Promise<void> {
    const event: OperatorAuditEvent = { type: 'OperatorActionEnded', data: { actionId, outcome, endedAt: this.#ports.clock.now() } };
    await this.#write([event], by, actionId).catch(this.#ports.onUnwritten);
  }

  /** Call it before the answer is sent. @throws StoreUnavailable if it is not recorded, and must not be answered */
  async answered(by: Actor, what: Omit<OperatorQueryAnswered['data'], 'queryId' | 'answeredAt'>): Promise<void> {
    const queryId = this.#ports.ids.next();
    const event: OperatorAuditEvent = { type: 'OperatorQueryAnswered', data: { queryId, ...what, answeredAt: this.#ports.clock.now() } };
    try {
      await this.#write([event], by, queryId);
    } catch (error) {
      throw new StoreUnavailable(`the query was not recorded: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (what.revealed !== undefined) this.#ports.listener?.revealed();
  }

  /** Appends the first refusal of a burst at once, and the rest of the window as one event, so that a flood does not fill the log. */
  refused(cause: RefusalCause, by: Actor = UNAUTHENTICATED): void {
    const now = this.#ports.clock.now();
    const name = `${cause} ${by.actor}`;
    const running = this.#bursts.get(name);
    if (running === undefined && this.#bursts.size >= BURSTS_MAX && by !== UNAUTHENTICATED) {
      this.refused(cause);
      return;
    }
    this.#ports.listener?.refused(cause);
    if (running === undefined) {
      const burst = { cause, by, count: 1, firstAt: now, lastAt: now, window: this.#window(name) };
      this.#bursts.set(name, burst);
      this.#appendCounted(burst);
      return;
    }
    if (running.count === 0) running.firstAt = now;
    running.count += 1;
    running.lastAt = now;
  }

  async stop(): Promise<void> {
    for (const [name, burst] of this.#bursts) {
      burst.window.cancel();
      this.#bursts.delete(name);
      if (burst.count > 0) this.#appendCounted(burst);
    }
    await this.#writing;
  }

  #window(name: string): Scheduled {
    return this.#ports.scheduler.after(REFUSAL_WINDOW_MS, () => {
      const burst = this.#bursts.get(name);
      if (burst === undefined) return;
      if (burst.count === 0) {
        this.#bursts.delete(name);
        return;
      }
      burst.window = this.#window(name);
      this.#appendCounted(burst);
    });
  }

  #appendCounted(burst: Burst): void {
    const { cause, by, count, firstAt, lastAt } = burst;
    burst.count = 0;
    const event: OperatorAuditEvent = { type: 'OperatorRequestsRefused', data: { cause, count, firstAt, lastAt } };
    // Not awaited: a refusal is answered even if the store is down.
    void this.#write([event], by, this.#ports.ids.next()).catch((error: unknown) => {
      burst.firstAt = firstAt;
      if (burst.count === 0) burst.lastAt = lastAt;
      burst.count += count;
      this.#ports.onUnwritten(error);
    });
  }

  /** Sequential, because each append names the previous revision. */
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
