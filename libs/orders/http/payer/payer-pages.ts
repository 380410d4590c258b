import type { AttemptKey } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { PayerAddresses } from '../../application/gates/submit-attempt';
import { encodePayerLink } from './payer-link';

/** The addresses of the payer's pages. They carry the order's stream and the attempt key, which cannot be guessed. */
export class PayerPages implements PayerAddresses {
  readonly #base: string;

  /** @param base public address with the path prefix, without a slash at the end */
  constructor(base: string) {
    this.#base = base;
  }

  /** The address in `redirect-to` and `redirectUrl`, whose page leads to the authentication. */
  startUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${encodePayerLink(stream, key)}`;
  }

  /** The address to which the authentication page posts. */
  returnUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${stream}/${key}/return`;
  }

  /** The simulator's authentication page, in place of an issuer's. */
  simulatedAuthenticationUrl(gate: string, key: AttemptKey): string {
    return `${this.#base}/simulator/authentication/${gate}/${key}`;
  }
}
