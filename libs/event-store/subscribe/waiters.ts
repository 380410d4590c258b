interface Waiter {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Promises that wait for a condition, which is looked at whenever something may have changed. */
export class Waiters {
  #waiters: Waiter[] = [];

  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ isMet, resolve, reject }));
  }

  /** Resolves those whose condition is met. */
  wake(): void {
    if (this.#waiters.length === 0) return;
    const met: Waiter[] = [];
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.isMet()) return true;
      met.push(waiter);
      return false;
    });
    for (const { resolve } of met) resolve();
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }
}
