import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { Answer, Merchant } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { isFinal, statusOf, type Told } from './merchant-records';
import { ConnectionLost } from './network';
import type { PayerActor } from './payer-actor';

/** Codes that mean: send the same again (protocol decisions, section 3). */
const AGAIN: ReadonlySet<string | undefined> = new Set(['20', '21', '99']);
export const WRONG_CONTROL = '2';
const KEYS_IN_USE_MAX = 2;
const POLL_MS = [3_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;
const AGAIN_MS = [1_000, 3_000, 10_000, 30_000, 60_000] as const;
const TRIES_MAX = 200;

const nth = (list: readonly number[], at: number): number => list[Math.min(at, list.length - 1)] ?? 0;

export interface MerchantRequestsSettings {
  readonly payer: PayerActor;
  readonly time: VirtualClock;
  readonly controlKeys: () => readonly string[];
  readonly integrationWith: (controlKey: string) => Merchant;
}

export class MerchantRequests {
  readonly #integrations = new Map<string, Merchant>();
  #refusedSignatures = 0;

  constructor(private readonly settings: MerchantRequestsSettings) {}

  get merchant(): Merchant {
    const keys = this.settings.controlKeys();
    const key = keys[this.#refusedSignatures % Math.min(keys.length, KEYS_IN_USE_MAX)] ?? '';
    const made = this.#integrations.get(key) ?? this.settings.integrationWith(key);
    this.#integrations.set(key, made);
    return made;
  }

  /** Sends the same until an answer decides something, as the interface asks of merchants. */
  async untilAnswered(
    told: Told[],
    send: (merchant: Merchant) => Promise<Answer>,
    triesMax = TRIES_MAX,
  ): Promise<Answer['fields'] | undefined> {
    for (let tries = 0; tries < triesMax; tries++) {
      const fields = await this.#ask(told, send);
      if (fields !== 'lost' && !AGAIN.has(fields['error-code']) && !this.#isKeyInQuestion(fields)) return fields;
      await sleep(this.settings.time, nth(AGAIN_MS, tries));
    }
    return undefined;
  }

  /**
   * Polls until the status is final, and sends the payer if needed.
   * @param asked further fields of the request
   */
  async untilFinal(order: Order, told: Told[], asked: Fields = {}): Promise<string | undefined> {
    let hasPayerActed = false;
    for (let tries = 0; tries < TRIES_MAX && !isFinal(told.at(-1)); tries++) {
      const fields = await this.#ask(told, (merchant) => merchant.status(order, asked));
      const way = fields === 'lost' ? undefined : fields['redirect-to'];
      if (way !== undefined && !hasPayerActed) hasPayerActed = await this.settings.payer.acts(order.clientOrderId, way);
      await sleep(this.settings.time, nth(POLL_MS, tries));
    }
    const last = told.at(-1);
    return last === undefined ? undefined : statusOf(last);
  }

  async asksOnce(told: Told[], send: () => Promise<Answer>): Promise<void> {
    await this.#ask(told, send, false);
  }

  #isKeyInQuestion(fields: Answer['fields']): boolean {
    return fields['error-code'] === WRONG_CONTROL && this.settings.controlKeys().length > 1;
  }

  async #ask(told: Told[], send: (merchant: Merchant) => Promise<Answer>, isOwn = true): Promise<Answer['fields'] | 'lost'> {
    let fields: Answer['fields'] | 'lost' = 'lost';
    try {
      ({ fields } = await send(this.merchant));
      if (isOwn && fields['error-code'] === WRONG_CONTROL) this.#refusedSignatures++;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    told.push({ atMs: this.settings.time.now(), fields });
    return fields;
  }
}
