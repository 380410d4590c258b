/**
 * Thrown by guards when the exchange knows what its request is refused with (`DeviceExchange.refuse`): `DeviceRefusalFilter` answers with that. One for all
 * requests, as where it was thrown tells nothing, and to note it costs more than all else that is done for a stranger.
 */
export class RefusedRequest extends Error {
  private constructor(message: string) {
    super(message);
  }

  static readonly thrown = new RefusedRequest('the request is refused');
}

/** Thrown where the sender has gone away before the request was whole: nobody is answered, and nothing is reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}
