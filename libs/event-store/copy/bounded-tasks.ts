/**
 * Runs tasks side by side within a bound. Two that share a lane run one after the other, in the order in which they came; a failure ends it all:
 * what runs is awaited, nothing begins any more.
 */
export class BoundedTasks {
  readonly #tasksMax: number;
  readonly #lanes = new Map<string, Promise<void>>();
  #underWay = 0;
  #failure: { readonly error: unknown } | undefined;
  #onSettled: (() => void) | undefined;

  constructor(tasksMax: number) {
    this.#tasksMax = tasksMax;
  }

  /** Resolves when the task is taken, as soon as there is room for it. @throws what a task threw */
  async add(lanes: readonly string[], task: () => Promise<void>): Promise<void> {
    while (this.#underWay >= this.#tasksMax) await this.#settled();
    this.#assertWell();
    this.#underWay += 1;
    const before = lanes.flatMap((lane) => this.#lanes.get(lane) ?? []);
    const done = this.#run(before, task).finally(() => {
      this.#underWay -= 1;
      for (const lane of lanes) if (this.#lanes.get(lane) === done) this.#lanes.delete(lane);
      this.#onSettled?.();
    });
    for (const lane of lanes) this.#lanes.set(lane, done);
  }

  /** When all that was taken is done, well or not. */
  async idle(): Promise<void> {
    while (this.#underWay > 0) await this.#settled();
  }

  /** As `idle`. @throws what a task threw */
  async drained(): Promise<void> {
    await this.idle();
    this.#assertWell();
  }

  async #run(before: readonly Promise<void>[], task: () => Promise<void>): Promise<void> {
    try {
      if (before.length > 0) await Promise.all(before);
      if (this.#failure === undefined) await task();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => (this.#onSettled = resolve));
  }

  #assertWell(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
