import { EndableDeadline, TimeLimits, type Deadline, type Monotonic, type NonEmpty, type Scheduler } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable, type Appended, type Conflict, type EventStore, type NewEvent, type Revision, type StreamName } from '../core/port'; // prettier-ignore

/** A request is answered within this time whatever is unavailable: 10 s are promised, and the rest is for writing and carrying the answer. */
export const REQUEST_MS_MAX = 9_500;
/** The last append ends this long before the deadline, because its own outcome is more precise than a timeout. */
const APPEND_MARGIN_MS = 300;
const CAUSATION = '"causation":"';

/** The deadline of one request over all its reads and appends. */
export interface RequestDeadline extends Deadline {
  /** From now on, appends caused by this serial are limited by this deadline. @param serial of the request */
  named(serial: string): void;
  /** Says that an append of this request may carry another request's serial, so that its outcome cannot be known here. */
  mayAppendUnseen(): void;
}

class OpenRequest extends EndableDeadline implements RequestDeadline {
  readonly #known: Map<string, OpenRequest>;
  readonly #monotonic: Monotonic;
  readonly #endsAtMs: number;
  #serial: string | undefined;
  #isUnseen = false;
  /** Appends that were stored or may have been. */
  #sent = 0;

  constructor(known: Map<string, OpenRequest>, monotonic: Monotonic, limitMs: number) {
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

  /** Forgets the request when its work has ended. */
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
 * Gives each request one deadline over all its work at the stores. Appends are recognised by the request's serial in their metadata, so that an append
 * without an explicit deadline is limited to the time left too, and is not sent where none is left. Reads, vault and read model take the deadline itself.
 */
export class RequestDeadlines {
  readonly #known = new Map<string, OpenRequest>();
  readonly #timers: TimeLimits;
  readonly #monotonic: Monotonic;
  readonly #limitMs: number;

  constructor(scheduler: Scheduler, monotonic: Monotonic, limitMs = REQUEST_MS_MAX) {
    this.#timers = new TimeLimits(scheduler, limitMs);
    this.#monotonic = monotonic;
    this.#limitMs = limitMs;
  }

  /** The log that requests write to. Appends with any other cause pass unchanged. */
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
   * Answers a request before its deadline.
   * @param late makes the answer once the deadline has passed; it learns whether an append of the request may be, or may yet become, stored
   */
  serve<Answer>(
    work: (deadline: RequestDeadline) => Promise<Answer>,
    late: (mayBeStored: boolean) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const request = new OpenRequest(this.#known, this.#monotonic, this.#limitMs);
    return new Promise((resolve, reject) => {
      const stopTimer = this.#timers.begin(() => {
        // The answer is given now: further appends must not be sent, and reads under way must free what they hold.
        request.end();
        resolve(late(request.mayBeStored));
      });
      const end = (): void => {
        stopTimer();
        request.close();
      };
      work(request).then(
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

  /** As `serve`, for work that appends nothing. @throws StoreUnavailable where the deadline has passed */
  within<Answer>(work: (deadline: Deadline) => Promise<Answer>): Promise<Answer> {
    return this.serve(work, () => Promise.reject(new StoreUnavailable('the request took too long')));
  }
}
