import { Counter, Gauge, type Registry } from 'prom-client';
import { waitAtMost, type Clock, type Scheduler } from '@app/kernel';
import type { OpenCount } from '@app/read-models';

/** A scrape must not wait for a database that is unavailable. */
const ANSWER_MS_MAX = 1_000;
/** A count is kept for so long, since anyone who reaches the port may scrape it. */
const COUNT_AGE_MS_MAX = 1_000;

export interface OpenCountSource {
  /** Must cost no more than a read of an index. */
  readonly count: () => Promise<OpenCount>;
  /** Of the metric, behind `orchestrator_`. */
  readonly name: string;
  /** The metric's help text. */
  readonly help: string;
}

interface ReadCount {
  readonly at: number;
  readonly count: Promise<OpenCount | undefined>;
}

/**
 * Open work over all processes, read from the read models at a scrape: with a time limit, and at most once a second. A count that could not be read is
 * left out of the page, and that is counted.
 */
export class OpenCountFigures {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #unread: Counter;

  constructor(registry: Registry, clock: Clock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#unread = new Counter({
      name: 'orchestrator_open_counts_unread_total',
      help: 'Counts of open work that the read models did not answer in time',
      registers: [registry],
    });
  }

  watch(registry: Registry, source: OpenCountSource): void {
    let last: ReadCount | undefined;
    const read = (): Promise<OpenCount | undefined> => {
      const now = this.#clock.now();
      if (last === undefined || Math.abs(now - last.at) >= COUNT_AGE_MS_MAX) last = { at: now, count: this.#read(source) };
      return last.count;
    };
    const gauge = (name: string, help: string, figure: (count: OpenCount) => number): void => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const count = await read();
          if (count === undefined) this.remove();
          else this.set(figure(count));
        },
      });
    };
    const clock = this.#clock;
    gauge(`orchestrator_${source.name}`, source.help, ({ count }) => count);
    gauge(`orchestrator_${source.name}_oldest_seconds`, `${source.help}: age of the oldest, 0 where there is none`, ({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, (clock.now() - oldestAt) / 1_000),
    );
  }

  async #read({ count }: OpenCountSource): Promise<OpenCount | undefined> {
    const answer = await waitAtMost(
      this.#scheduler,
      ANSWER_MS_MAX,
      count().catch(() => undefined),
      () => undefined,
    );
    if (answer === undefined) this.#unread.inc();
    return answer;
  }
}
