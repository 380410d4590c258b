import type { Refused } from './answers/answer';

/** The page of those whose signature of a v4 request does not hold (interface, section 5.2). */
export interface AccessDenied {
  readonly kind: 'access-denied';
}
export const ACCESS_DENIED: AccessDenied = { kind: 'access-denied' };

/** Thrown by guards and pipes; `RefusalFilter` answers with it. */
export class RefusedRequest extends Error {
  /** @param status of HTTP */
  constructor(
    readonly refusal: Refused | AccessDenied,
    readonly status = 200,
  ) {
    super('the request is refused');
  }
}

/** Thrown where the sender has gone away before the request was whole: nobody is answered, and nothing is reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}
