import type { NonEmpty, Scheduler } from '@app/kernel';
import { backOffMs } from '../../core/back-off';
import {
  EventRefused,
  OutcomeUnknown,
  StoreUnavailable,
  type Appended,
  type Conflict,
  type NewEvent,
  type Revision,
  type StreamName,
} from '../../core/port';
import { attemptAppend, type AttemptOutcome } from './append-call';
import { appendMessages } from './append-messages';
import type { CallSlots } from './call-slots';
import { describeFailure, isWorthRetrying, kindOf } from './failure';
import type { Connection } from './raw-client';
import { TimeLimit } from './time-limit';

export interface AppendsSettings {
  readonly client: Connection;
  readonly slots: CallSlots;
  readonly scheduler: Scheduler;
  /** Hosts, for error messages. */
  readonly server: string;
  readonly attemptMs: number;
  readonly limitMs: number;
}

/** No attempt begins with less time than this, and each ends this long before the limit, because its own deadline gives a more precise outcome. */
const LAST_MS = 20;
const BACK_OFF_MIN_MS = 10;
const BACK_OFF_MAX_MS = 250;

/**
 * Appends with retries. Every attempt has the same ids and expected revision, so that the server recognises a repeat (EventStoreDB notes, section 1,
 * points 2 and 3).
 */
export class Appends {
  readonly #settings: AppendsSettings;

  constructor(settings: AppendsSettings) {
    this.#settings = settings;
  }

  /** @throws StoreUnavailable no attempt can have been stored; OutcomeUnknown; EventRefused beyond the server's own limit of size */
  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    limitMsOfCaller = Number.POSITIVE_INFINITY,
  ): Promise<Appended | Conflict> {
    const { scheduler, server } = this.#settings;
    const limitMs = Math.min(this.#settings.limitMs, limitMsOfCaller);
    const messages = appendMessages(stream, expected, events);
    const limit = new TimeLimit(scheduler, limitMs);
    let mayBeStored = false;
    let fault = `event store ${server}: no answer within ${limitMs} ms`;
    const givenUp = (Otherwise: new (message: string) => Error = StoreUnavailable): Error =>
      mayBeStored ? new OutcomeUnknown(`${stream}: ${fault}`) : new Otherwise(`${stream}: ${fault}`);
    try {
      for (let tried = 1; limit.remainingMs > LAST_MS; tried++) {
        const outcome = await this.#attempt(messages, limit);
        if (outcome === 'no-slot') throw givenUp();
        if (outcome.kind === 'answered') return outcome.answer;
        const { error, wasSent } = outcome;
        fault = describeFailure(server, error);
        const kind = kindOf(error);
        if (wasSent && (kind === 'lost' || kind === 'unrecognised')) mayBeStored = true;
        if (kind === 'too-large') throw givenUp(EventRefused);
        if (!isWorthRetrying(kind)) throw givenUp();
        await limit.pause(backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
      throw givenUp();
    } finally {
      limit.clear();
    }
  }

  async #attempt(messages: ReturnType<typeof appendMessages>, limit: TimeLimit): Promise<AttemptOutcome | 'no-slot'> {
    const { client, slots, attemptMs } = this.#settings;
    const taken = slots.take(limit);
    if (taken !== true && !(await taken)) return 'no-slot';
    try {
      return await attemptAppend(client, messages, Math.min(attemptMs, Math.max(limit.remainingMs - LAST_MS, 1)), limit);
    } finally {
      slots.give();
    }
  }
}
