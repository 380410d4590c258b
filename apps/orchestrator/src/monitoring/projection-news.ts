/** Tells the worker of this process that another process may have projected due work. */
export class ProjectionNews {
  #listener = (): void => undefined;

  onArrival(listener: () => void): void {
    this.#listener = listener;
  }

  arrived(): void {
    this.#listener();
  }
}
