import { EndableDeadline, TimeLimits, type Deadline, type Monotonic, type NonEmpty, type Scheduler } from '@app/kernel';
import {
  OutcomeUnknown,
  StoreUnavailable,
  type Appended,
  type Conflict,
  type EventStore,
  type NewEvent,
  type Revision,
  type StreamName,
} from './port'; // prettier-ignore

/** We promise a response within 10 s. The rest is for writing and sending it. */
export const REQUEST_MS_MAX = 9_500;
/** The last append ends this long before the limit, because its error is more precise than a timeout. */
const APPEND_MARGIN_MS = 300;
const CAUSATION = '"causation":"';

export interface RequestDeadline extends Deadline {
  /**
   * From now on, events caused by this request count as its own.
   * @param serial of the request
   */
  named(serial: string): void;
  /** Its appends may have another request's serial, so it is unknown whether the request stored anything. */
  mayAppendUnseen(): void;
}

export interface StartedRequest {
  readonly deadline: RequestDeadline;
  /** Releases the deadline. Safe to call twice. */
  readonly end: () => void;
}

class UnderWay extends EndableDeadline implements RequestDeadline {
  readonly #known: Map<string, UnderWay>;
  readonly #monotonic: Monotonic;
  readonly #endsAtMs: number;
  #serial: string | undefined;
  #isUnseen = false;
  #sent = 0;

  constructor(known: Map<string, UnderWay>, monotonic: Monotonic, limitMs: number) {
    super();
    this.#known = known;
    this.#monotonic = monotonic;
    this.#endsAtMs = monotonic.elapsedMs() + limitMs;
  }

  named(serial: string): void {
    this.#serial = serial;
    this.#known.set(serial, this);
  }

  mayAppendUnseen(): void {
    this.#isUnseen = true;
  }

  get mayBeStored(): boolean {
    return this.#isUnseen || this.#sent > 0;
  }

  close(): void {
    if (this.#serial !== undefined && this.#known.get(this.#serial) === this) this.#known.delete(this.#serial);
  }

  async append(send: (limitMs: number) => Promise<Appended | Conflict>): Promise<Appended | Conflict> {
    const remainingMs = this.#endsAtMs - APPEND_MARGIN_MS - this.#monotonic.elapsedMs();
    if (this.isOver || remainingMs <= 0) throw new StoreUnavailable('the time of the request is over');
    this.#sent += 1;
    try {
      const answer = await send(remainingMs);
      if (answer.kind === 'conflict') this.#sent -= 1;
      return answer;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) this.#sent -= 1;
      throw error;
    }
  }
}

const causationOf = (metadata: string): string => {
  const start = metadata.indexOf(CAUSATION) + CAUSATION.length;
  return metadata.slice(start, metadata.indexOf('"', start));
};

/**
 * One deadline per request over all its store calls. Appends are matched by the serial in their metadata, so an append without an explicit
 * deadline is limited too.
 */
export class RequestDeadlines {
  readonly #known = new Map<string, UnderWay>();
  readonly #timers: TimeLimits;
  readonly #monotonic: Monotonic;
  readonly #limitMs: number;

  constructor(scheduler: Scheduler, monotonic: Monotonic, limitMs = REQUEST_MS_MAX) {
    this.#timers = new TimeLimits(scheduler, limitMs);
    this.#monotonic = monotonic;
    this.#limitMs = limitMs;
  }

  /** The log with deadlines for requests. Appends with any other cause are not limited. */
  guarding(store: EventStore): EventStore {
    const append = (stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>): Promise<Appended | Conflict> => {
      const request = this.#known.size === 0 ? undefined : this.#known.get(causationOf(events[0].metadata));
      if (request === undefined) return store.append(stream, expected, events);
      return request.append((limitMs) => store.append(stream, expected, events, limitMs));
    };
    return {
      append,
      read: (stream, from, deadline) => store.read(stream, from, deadline),
      subscribe: (categories, after) => store.subscribe(categories, after),
      head: (deadline) => store.head(deadline),
      comparePositions: (a, b) => store.comparePositions(a, b),
      close: () => store.close(),
    };
  }

  /**
   * Starts the time of a request whose end cannot be awaited here.
   * @param late called on timeout; its argument is whether something of the request may be stored
   */
  begin(late: (mayBeStored: boolean) => void): StartedRequest {
    const request = new UnderWay(this.#known, this.#monotonic, this.#limitMs);
    const settle = this.#timers.begin(() => {
      request.end();
      late(request.mayBeStored);
    });
    return {
      deadline: request,
      end: () => {
        settle();
        request.close();
      },
    };
  }

  /**
   * Serves a request within its time.
   * @param late makes the response on timeout; its argument is whether something of the request may be stored
   */
  serve<Answer>(
    work: (deadline: RequestDeadline) => Promise<Answer>,
    late: (mayBeStored: boolean) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { deadline, end } = this.begin((mayBeStored) => resolve(late(mayBeStored)));
      work(deadline).then(
        (answer) => {
          end();
          resolve(answer);
        },
        (error: Error) => {
          end();
          reject(error);
        },
      );
    });
  }

  /**
   * As `serve`, for requests that append nothing.
   * @throws StoreUnavailable on timeout
   */
  within<Answer>(work: (deadline: Deadline) => Promise<Answer>): Promise<Answer> {
    return this.serve(work, () => Promise.reject(new StoreUnavailable('the request took too long')));
  }
}
