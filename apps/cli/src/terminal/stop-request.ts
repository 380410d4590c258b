const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A request to stop by Ctrl-C or a like signal; it stays requested. */
export class StopRequest {
  readonly requested: Promise<void>;
  #isRequested = false;

  constructor() {
    this.requested = new Promise((resolve) => {
      for (const signal of SIGNALS) {
        process.on(signal, () => {
          this.#isRequested = true;
          resolve();
        });
      }
    });
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }
}
