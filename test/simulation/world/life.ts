import type { Scheduled, Scheduler } from '@app/kernel';

const never = <Value>(): Promise<Value> => new Promise<Value>(() => undefined);

/** Asked before and after each call of a port: true ends the process there. */
export type DiesAt = (site: string, when: 'before' | 'after') => boolean;

/**
 * One run of one process, from its start to its end. When it has ended its timers do not run, and no port that it asked ever answers it: the object graph
 * is left to the collector, as the memory of a killed process is. What a call had done before the end stays done.
 */
export class Life {
  #hasEnded = false;
  #paused: (() => void)[] | undefined;
  readonly #timers = new Set<Scheduled>();
  readonly #endings: (() => void)[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly diesAt: DiesAt,
  ) {}

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Called once, in the order in which they were given. */
  onEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    for (const ending of this.#endings) ending();
  }

  /** Nothing of this process happens until `resume`: a virtual machine that is moved, a collector that stops the world. */
  pause(): void {
    this.#paused ??= [];
  }

  resume(): void {
    const waiting = this.#paused ?? [];
    this.#paused = undefined;
    for (const go of waiting) go();
  }

  /** The scheduler of this process. */
  after(delayMs: number, run: () => void): Scheduled {
    if (this.#hasEnded) return { cancel: () => undefined };
    const timer = this.scheduler.after(delayMs, () => {
      this.#timers.delete(timer);
      this.#unlessPaused(() => {
        if (!this.#hasEnded && !this.#dies('timer', 'before')) run();
      });
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        timer.cancel();
      },
    };
  }

  /** A call of a port: the process may end before it, and between what it does and its answer. */
  async call<Value>(site: string, effect: () => Promise<Value>): Promise<Value> {
    if (this.#hasEnded || this.#dies(site, 'before')) return never();
    const answer = await effect().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    if (this.#paused !== undefined) await new Promise<void>((go) => void this.#paused?.push(go));
    if (this.#hasEnded || this.#dies(site, 'after')) return never();
    return answer();
  }

  /** Every method of a port through `call`; what it returns must be a promise, but for those that are named as immediate. */
  guard<Port extends object>(name: string, port: Port, immediate: readonly (keyof Port)[] = []): Port {
    const guarded = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get: (target, member) => {
        const known = guarded.get(member);
        if (known !== undefined) return known;
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        const site = `${name}.${String(member)}`;
        const calling = immediate.includes(member as keyof Port)
          ? method
          : (...given: unknown[]) => this.call(site, () => method(...given) as Promise<unknown>);
        guarded.set(member, calling);
        return calling;
      },
    });
  }

  #unlessPaused(run: () => void): void {
    if (this.#paused === undefined) run();
    else this.#paused.push(run);
  }

  #dies(site: string, when: 'before' | 'after'): boolean {
    if (!this.diesAt(site, when)) return false;
    this.end();
    return true;
  }
}
