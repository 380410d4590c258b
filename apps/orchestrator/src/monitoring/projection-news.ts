/** Passes on that another process may have projected something that is due here. One listener. */
export class ProjectionNews {
  #listener = (): void => undefined;

  tell(listener: () => void): void {
    this.#listener = listener;
  }

  arrived(): void {
    this.#listener();
  }
}
