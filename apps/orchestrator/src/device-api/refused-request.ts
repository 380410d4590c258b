/**
 * Guards throw it after `DeviceExchange.refuse` noted the refusal, with which `DeviceRefusalFilter` answers. All requests share one instance: its stack is
 * of no use, and recording a stack costs more than the rest of the work for an unauthenticated request.
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
