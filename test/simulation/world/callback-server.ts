import { EGRESS_DEADLINE_MS, type Egress, type EgressOutcome, type EgressRequest } from '@app/http/client';
import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import type { OrderRecord } from './merchant-records';

export interface CallbackFaults {
  readonly down: number;
  readonly answerLost: number;
  readonly failing: number;
  readonly slow: number;
}

const SLOW_MS_MAX = 2 * EGRESS_DEADLINE_MS;
const REFUSALS = [404, 422, 500, 503] as const;

export interface CallbackServerSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly faults: () => CallbackFaults;
  readonly orderOf: (clientOrderId: string) => OrderRecord | undefined;
}

export class CallbackServer {
  constructor(private readonly settings: CallbackServerSettings) {}

  readonly egress: Egress = { send: (request) => this.#take(request), close: () => Promise.resolve() };

  async #take(request: EgressRequest): Promise<EgressOutcome> {
    const { time, chance, faults } = this.settings;
    const url = new URL(request.url);
    const fields = fieldsOf(request);
    const clientOrderId = fields['merchant_order'] ?? url.pathname.split('/').at(-1) ?? '';
    const record = this.settings.orderOf(clientOrderId);
    const rates = faults();
    await sleep(time, chance.between(1, 200, 'callback.ms', clientOrderId));
    if (chance.happens(rates.down, 'callback.down', clientOrderId)) return { kind: 'connection-failed', code: 'ECONNREFUSED' };
    const isFailing = record?.takesCallbacks === false || chance.happens(rates.failing, 'callback.failing', clientOrderId);
    const slowMs = chance.happens(rates.slow, 'callback.slow', clientOrderId)
      ? chance.between(0, SLOW_MS_MAX, 'callback.slow-ms', clientOrderId)
      : 0;
    const isLost = !isFailing && (chance.happens(rates.answerLost, 'callback.lost', clientOrderId) || slowMs >= EGRESS_DEADLINE_MS);
    record?.callbacks.push({
      atMs: time.now(),
      webhookId: request.headers['webhook-id'] ?? '',
      fields,
      wasAcknowledged: !isFailing && !isLost,
    });
    if (isLost) {
      await sleep(time, EGRESS_DEADLINE_MS);
      return { kind: 'timed-out' };
    }
    if (slowMs > 0) await sleep(time, slowMs);
    if (isFailing) return { kind: 'answered', status: chance.pick(REFUSALS, 'callback.refusal', clientOrderId), body: '' };
    return { kind: 'answered', status: 200, body: 'OK' };
  }
}

const fieldsOf = ({ body, query }: EgressRequest): Readonly<Record<string, string>> => {
  if (body?.startsWith('{') === true) return JSON.parse(body) as Record<string, string>;
  return Object.fromEntries(new URLSearchParams(body ?? query ?? ''));
};
