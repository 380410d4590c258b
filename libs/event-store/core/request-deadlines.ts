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

/** A request is answered within so long, whatever is away: 10 s are promised, and the answer has to be written and carried too. */
export const REQUEST_MS_MAX = 9_500;
/** So long before it the last append ends, and says better than the clock what became of it. */
const APPEND_MARGIN_MS = 300;
const CAUSATION = '"causation":"';

/** The time of one request, and what it may still do at the log. */
export interface RequestDeadline extends Deadline {
  /** From now on what stands in the log as caused by this request counts as its own. @param serial of the request */
  named(serial: string): void;
  /** What it appends may stand under another request's serial: whether it did is then not known. */
  mayAppendUnseen(): void;
}

/** A request that is being served. */
export interface BegunRequest {
  readonly deadline: RequestDeadline;
  /** Nothing of it is under way any more. Twice is once. */
  readonly end: () => void;
}

class UnderWay extends EndableDeadline implements RequestDeadline {
  readonly #known: Map<string, UnderWay>;
  readonly #monotonic: Monotonic;
  readonly #endsAtMs: number;
  #serial: string | undefined;
  #isUnseen = false;
  /** Appends whose outcome is not known, or that were stored. */
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

  /** Nothing of it is under way any more. */
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
 * One deadline for each request, over all that it does at the stores. What it appends is known by its serial in the metadata: an append that nobody gave a
 * deadline is held to it too, gets what is left, and is not sent where nothing is. Reads, vault and read model are handed the deadline itself.
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

  /** The log as requests write to it. What is caused by anything else passes as it is. */
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
   * Begins the time of a request, for one whose work has no end that could be awaited here.
   * @param late called where the time is over before `end` was: whether something of the request may be stored, or may still be
   */
  begin(late: (mayBeStored: boolean) => void): BegunRequest {
    const request = new UnderWay(this.#known, this.#monotonic, this.#limitMs);
    const settle = this.#timers.begin(() => {
      // Answered without it: nothing of it is sent to the log any more, and what is under way lets go.
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
   * @param late makes the answer where it is over: whether something of the request may be stored, or may still be
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

  /** As `serve`, of what appends nothing of its own. @throws StoreUnavailable where its time is over */
  within<Answer>(work: (deadline: Deadline) => Promise<Answer>): Promise<Answer> {
    return this.serve(work, () => Promise.reject(new StoreUnavailable('the request took too long')));
  }
}
