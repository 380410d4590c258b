import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock, Scheduler } from '@app/kernel';
import type { OpenCount } from '@app/projections';

/** A scrape is not to wait for a database that is away. */
const ANSWER_WITHIN_MS = 1_000;
/** What was told a moment ago is told again: the port asks nobody for a password. */
const HELD_MS = 1_000;

export interface OpenCountSource {
  /** At most so much work as a look at an index takes. */
  readonly ask: () => Promise<OpenCount>;
  readonly name: string;
  readonly what: string;
}

interface Told {
  readonly at: number;
  readonly standing: Promise<OpenCount | undefined>;
}

/**
 * What stands open over all processes, asked of the read models at a scrape: within a time, once at a time, and not again within a second. What
 * they do not tell is left out of the page, and counted.
 */
export class OpenCountFigures {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #unread: Counter;

  constructor(registry: Registry, clock: Clock, scheduler: Scheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#unread = new Counter({
      name: 'orchestrator_standing_unread_total',
      help: 'Times that the read models did not tell in time how much stands open',
      registers: [registry],
    });
  }

  watch(registry: Registry, source: OpenCountSource): void {
    let told: Told | undefined;
    const read = (): Promise<OpenCount | undefined> => {
      const now = this.#clock.now();
      if (told === undefined || Math.abs(now - told.at) >= HELD_MS) told = { at: now, standing: this.#ask(source) };
      return told.standing;
    };
    const gauge = (name: string, help: string, figure: (standing: OpenCount) => number): void => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const standing = await read();
          if (standing === undefined) this.remove();
          else this.set(figure(standing));
        },
      });
    };
    const clock = this.#clock;
    gauge(`orchestrator_${source.name}`, source.what, ({ count }) => count);
    gauge(`orchestrator_${source.name}_oldest_seconds`, `${source.what}: age of the oldest, 0 where there is none`, ({ oldestAt }) =>
      oldestAt === undefined ? 0 : Math.max(0, (clock.now() - oldestAt) / 1_000),
    );
  }

  async #ask({ ask }: OpenCountSource): Promise<OpenCount | undefined> {
    let late: ReturnType<Scheduler['after']> | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      late = this.#scheduler.after(ANSWER_WITHIN_MS, () => resolve(undefined));
    });
    const answer = await Promise.race([ask().catch(() => undefined), tooLate]);
    late?.cancel();
    if (answer === undefined) this.#unread.inc();
    return answer;
  }
}
