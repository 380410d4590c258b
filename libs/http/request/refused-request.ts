/**
 * Thrown by guards and pipes of both interfaces once the exchange holds the refusal; the interface's filter sends it. One instance serves all requests,
 * because capturing a stack would cost more than all other work for an unauthenticated caller.
 */
export class RefusedRequest extends Error {
  private constructor(message: string) {
    super(message);
  }

  static readonly thrown = new RefusedRequest('the request is refused');
}

/** Thrown where the sender closed the connection before the request was complete: it is neither answered nor reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}
