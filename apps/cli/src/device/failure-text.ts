import type { Failure } from '@app/device-client';
import { printable, shortened } from '../terminal/printable';

const MESSAGE_SHOWN_MAX = 200;
const NOT_FOUND = 404;

/** The reason of a party's failure, in one line. */
export const failureText = (party: string, failure: Failure): string => {
  switch (failure.kind) {
    case 'no-answer': {
      const code = failure.code === undefined ? '' : ` (${failure.code})`;
      if (failure.reason === 'unreachable') return `${party} cannot be reached${code}`;
      return failure.reason === 'timed-out'
        ? `${party} did not answer in time`
        : `the connection to ${party} broke before its answer${code}`;
    }
    case 'malformed':
      return failure.httpStatus === NOT_FOUND
        ? `${party} serves nothing at this address (HTTP 404): check its address, --prefix for a gateway, --product for a merchant server`
        : `${party} answered in another form than the interface has (HTTP ${failure.httpStatus}): ${failure.fault}`;
    case 'forbidden':
      return `${party} refuses without a word (HTTP 403): it does not take the access token, the device or the invoice`;
    case 'refused':
      return `${party} refuses: ${failure.cause}, ${shortened(failure.message, MESSAGE_SHOWN_MAX)} (error code ${printable(failure.code)})`;
    case 'invalid-request':
      return `not sent: ${failure.message}`;
  }
};
