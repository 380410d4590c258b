import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { PayerAddresses } from '@app/order-processing';
import { placeOf } from './payer-link';

/** Addresses that a payer's browser is sent to: order by stream, and the attempt's key, which nobody can guess. */
export class PayerPages implements PayerAddresses {
  readonly #base: string;

  /** @param base public address with the path prefix, without a slash at its end */
  constructor(base: string) {
    this.#base = base;
  }

  /** `redirect-to` and `redirectUrl`: shows the page that takes the payer to the authentication. */
  startUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${placeOf(stream, key)}`;
  }

  returnUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${stream}/${key}/return`;
  }

  /** The simulator's stand-in for the issuer's page. */
  simulatedAuthenticationUrl(gate: string, key: AttemptKey): string {
    return `${this.#base}/simulator/authentication/${gate}/${key}`;
  }
}
