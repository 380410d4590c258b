/**
 * Thrown by guards and pipes once the exchange holds the refusal (`GroupAExchange.refuse`); `RefusalFilter` sends it. One instance serves all requests,
 * because capturing a stack would cost more than all other work for an unauthenticated caller.
 */
export class RefusedRequest extends Error {
  private constructor(message: string) {
    super(message);
  }

  static readonly thrown = new RefusedRequest('the request is refused');
}

/** Thrown where the connection ended before the whole request came: nothing is answered and nothing is reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}
