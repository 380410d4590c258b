import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { Answer, Merchant } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { isFinal, statusOf, type Told } from './merchant-records';
import { ConnectionLost } from './network';
import type { PayerActor } from './payer-actor';

/** Codes that say: send the same again (protocol decisions, section 3). */
const AGAIN: ReadonlySet<string | undefined> = new Set(['20', '21', '99']);
const POLL_MS = [3_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;
const AGAIN_MS = [1_000, 3_000, 10_000, 30_000, 60_000] as const;
const TRIES_MAX = 200;

const nth = (list: readonly number[], at: number): number => list[Math.min(at, list.length - 1)] ?? 0;

/** How a merchant asks: again where nothing was answered or decided, and each answer is written down. */
export class MerchantRequests {
  constructor(
    private readonly merchant: Merchant,
    private readonly payer: PayerActor,
    private readonly time: VirtualClock,
  ) {}

  /** Sends the same until an answer decides something, as the interface asks of merchants. */
  async untilAnswered(told: Told[], send: () => Promise<Answer>): Promise<Answer['fields'] | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const fields = await this.#ask(told, send);
      if (fields !== 'lost' && !AGAIN.has(fields['error-code'])) return fields;
      await sleep(this.time, nth(AGAIN_MS, tries));
    }
    return undefined;
  }

  /** Asks for the status until it is final, and sends the payer where one is needed. @param asked further fields of the request */
  async untilFinal(order: Order, told: Told[], asked: Fields = {}): Promise<string | undefined> {
    let hasPayerActed = false;
    for (let tries = 0; tries < TRIES_MAX && !isFinal(told.at(-1)); tries++) {
      const fields = await this.#ask(told, () => this.merchant.status(order, asked));
      const way = fields === 'lost' ? undefined : fields['redirect-to'];
      if (way !== undefined && !hasPayerActed) hasPayerActed = await this.payer.acts(order.clientOrderId, way);
      await sleep(this.time, nth(POLL_MS, tries));
    }
    const last = told.at(-1);
    return last === undefined ? undefined : statusOf(last);
  }

  async #ask(told: Told[], send: () => Promise<Answer>): Promise<Answer['fields'] | 'lost'> {
    let fields: Answer['fields'] | 'lost' = 'lost';
    try {
      ({ fields } = await send());
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    told.push({ atMs: this.time.now(), fields });
    return fields;
  }
}
