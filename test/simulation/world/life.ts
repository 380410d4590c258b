import type { Scheduled, Scheduler } from '@app/kernel';

const never = <Value>(): Promise<Value> => new Promise<Value>(() => undefined);

/** Called before and after each port call; true ends the process there. */
export type DiesAt = (site: string, when: 'before' | 'after') => boolean;

/** One process from start to end. Afterwards no timer runs and no port answers it, but completed effects remain. */
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

  /** Stops everything in this process until `resume`, like a moved virtual machine or a long garbage collection. */
  pause(): void {
    this.#paused ??= [];
  }

  resume(): void {
    const waiting = this.#paused ?? [];
    this.#paused = undefined;
    for (const go of waiting) go();
  }

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

  /** The process may end before the call, or between its effect and its answer. */
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
