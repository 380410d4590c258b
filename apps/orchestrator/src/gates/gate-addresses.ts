import type { AttemptKey, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { NotificationAddresses } from '@app/orders';
import { encodePayerLink } from '@app/orders/http';

export const GATES_PATH = 'gates';

/** The addresses at which gates tell us something. They carry the order's stream and the key of the request, which cannot be guessed. */
export class GateAddresses implements NotificationAddresses {
  readonly #base: string;

  /** @param base public address with the path prefix, without a slash at the end */
  constructor(base: string) {
    this.#base = base;
  }

  notificationUrl(gate: GateAlias, stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/${GATES_PATH}/${encodeURIComponent(gate)}/${encodePayerLink(stream, key)}`;
  }
}
