export type AppendFault =
  /** The node names another as the leader; the append is not stored. */
  | { readonly kind: 'not-leader'; readonly leader: { readonly host: string; readonly port: number } }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'cancelled' }
  /** The write gets no quorum in time, but is stored. */
  | { readonly kind: 'commit-timeout' }
  | { readonly kind: 'hang'; readonly isStored: boolean }
  | { readonly kind: 'half-close'; readonly isStored: boolean }
  /** The connection breaks before the answer, with all other calls on it. */
  | { readonly kind: 'connection-lost'; readonly isStored: boolean };

export type ReadFault =
  { readonly kind: 'unavailable' } | { readonly kind: 'hang' } | { readonly kind: 'half-close' } | { readonly kind: 'connection-lost' };

/** A fault of one subscription after this number of events, not counting checkpoints. */
export interface SubscriptionFault {
  readonly kind: 'too-slow' | 'too-slow-for-live' | 'unavailable' | 'half-close' | 'connection-lost' | 'silence';
  readonly afterEvents: number;
}

class Queue<Fault> {
  readonly #faults: { readonly fault: Fault; readonly concerns: (stream: string) => boolean }[] = [];

  add(fault: Fault, times: number, concerns: (stream: string) => boolean): void {
    for (let time = 0; time < times; time++) this.#faults.push({ fault, concerns });
  }

  take(stream: string): Fault | undefined {
    const index = this.#faults.findIndex(({ concerns }) => concerns(stream));
    return index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
  }

  get length(): number {
    return this.#faults.length;
  }

  clear(): void {
    this.#faults.length = 0;
  }
}

const ALL = '$all';
const every = (): boolean => true;

/** Each fault affects only the next matching call. Faults persist over a restart. */
export class WireServerFaults {
  readonly #appends = new Queue<AppendFault>();
  readonly #reads = new Queue<ReadFault>();
  readonly #subscriptions = new Queue<SubscriptionFault>();
  readonly #repeats = new Queue<number>();
  isDiscoveryDown = false;

  append(fault: AppendFault, { times = 1, of = every }: { times?: number; of?: (stream: string) => boolean } = {}): void {
    this.#appends.add(fault, times, of);
  }

  read(fault: ReadFault, { times = 1, of = every }: { times?: number; of?: (stream: string) => boolean } = {}): void {
    this.#reads.add(fault, times, of);
  }

  subscription(fault: SubscriptionFault, { times = 1, of = every }: { times?: number; of?: (stream: string) => boolean } = {}): void {
    this.#subscriptions.add(fault, times, of);
  }

  /** The next subscription that resumes from a position redelivers this number of earlier events. */
  repeatOnResume(events: number): void {
    this.#repeats.add(events, 1, every);
  }

  get pending(): number {
    return this.#appends.length + this.#reads.length + this.#subscriptions.length + this.#repeats.length;
  }

  clear(): void {
    for (const queue of [this.#appends, this.#reads, this.#subscriptions, this.#repeats]) queue.clear();
    this.isDiscoveryDown = false;
  }

  takeAppend(stream: string): AppendFault | undefined {
    return this.#appends.take(stream);
  }

  takeRead(stream: string | undefined): ReadFault | undefined {
    return this.#reads.take(stream ?? ALL);
  }

  takeSubscription(stream: string | undefined): SubscriptionFault | undefined {
    return this.#subscriptions.take(stream ?? ALL);
  }

  takeRepeat(): number {
    return this.#repeats.take(ALL) ?? 0;
  }
}
