import { failed, type Cause, type Failed } from './device-answer';

/** Thrown by guards; `DeviceRefusalFilter` answers with it. */
export class DeviceRefused extends Error {
  constructor(readonly failure: Failed<Cause>) {
    super('the request is refused');
  }
}

/** Refuses a request for what it is: every operation has the same cause for that. */
export const refused = (name: Failed<Cause>['name'], message: string): DeviceRefused =>
  new DeviceRefused(failed(name, 'INVALID_REQUEST', message));

/** Thrown where the sender has gone away before the request was whole: nobody is answered, and nothing is reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}
