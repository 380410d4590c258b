import type { Unknown } from '../../contract';
import type { DeviceAnswer } from './device-answer';

/** The upstream gateway took the order; what becomes of it, its status tells. */
export interface Performed {
  readonly kind: 'performed';
  /** Authorises status and complete beside the access token. */
  readonly token: string;
}

/** It says that it did not take this request; its books tell whether it has an order of the invoice all the same. */
export interface Refused {
  readonly kind: 'refused';
}

const REFUSALS: ReadonlySet<string | undefined> = new Set(['INVALID_REQUEST', 'INVALID_CONFIGURATION']);

const UNRECOGNISED: Unknown = { kind: 'unknown', cause: 'unrecognised-answer' };

/** The answer to perform and to complete (interface, sections 4.5 and 7.2). Whatever is not the acceptance or the refusal of this invoice is unknown. */
export const readPerformed = (answer: DeviceAnswer | undefined, invoiceId: string): Performed | Refused | Unknown => {
  if (answer === undefined) return UNRECOGNISED;
  const { error, token } = answer;
  if (error !== undefined) {
    const isAbout = answer.invoiceId === undefined || answer.invoiceId === invoiceId;
    if (!isAbout) return UNRECOGNISED;
    return REFUSALS.has(error.cause) ? { kind: 'refused' } : { kind: 'unknown', cause: 'gate-undecided' };
  }
  return answer.invoiceId === invoiceId && token !== undefined ? { kind: 'performed', token } : UNRECOGNISED;
};
