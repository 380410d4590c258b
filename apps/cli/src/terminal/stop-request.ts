const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C and its like: asked for once, and from then on. */
export class StopWish {
  readonly wished: Promise<void>;
  #isWished = false;

  constructor() {
    this.wished = new Promise((resolve) => {
      for (const signal of SIGNALS) {
        process.on(signal, () => {
          this.#isWished = true;
          resolve();
        });
      }
    });
  }

  get isWished(): boolean {
    return this.#isWished;
  }
}
