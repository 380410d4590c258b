import type { Egress, EgressOutcome, EgressRequest } from '@app/egress';
import { sleep } from '@app/kernel';
import type { MerchantActorSettings, OrderRecord } from './merchant-actor';

const REFUSALS = [404, 422, 500, 503] as const;

/** A shop's server for callbacks. It writes down what it takes with the order that it is about. */
export class CallbackServer {
  readonly egress: Egress = { send: (request) => this.#take(request), close: () => Promise.resolve() };

  constructor(
    private readonly settings: Pick<MerchantActorSettings, 'time' | 'chance' | 'faults'>,
    private readonly recordOf: (clientOrderId: string) => OrderRecord | undefined,
  ) {}

  async #take(request: EgressRequest): Promise<EgressOutcome> {
    const { time, chance, faults } = this.settings;
    const url = new URL(request.url);
    const clientOrderId = url.pathname.split('/').at(-1) ?? '';
    const record = this.recordOf(clientOrderId);
    const rates = faults();
    await sleep(time, chance.between(1, 200, 'callback.ms', clientOrderId));
    if (chance.happens(rates.down, 'callback.down', clientOrderId)) return { kind: 'connection-failed', code: 'ECONNREFUSED' };
    const isFailing = record?.takesCallbacks === false || chance.happens(rates.failing, 'callback.failing', clientOrderId);
    const isLost = !isFailing && chance.happens(rates.answerLost, 'callback.lost', clientOrderId);
    record?.callbacks.push({
      atMs: time.now(),
      webhookId: request.headers['webhook-id'] ?? '',
      fields: fieldsOf(request),
      wasAcknowledged: !isFailing && !isLost,
    });
    if (isFailing) return { kind: 'answered', status: chance.pick(REFUSALS, 'callback.refusal', clientOrderId), body: '' };
    if (!isLost) return { kind: 'answered', status: 200, body: 'OK' };
    await sleep(time, 10_000);
    return { kind: 'timed-out' };
  }
}

const fieldsOf = ({ body, query }: EgressRequest): Readonly<Record<string, string>> => {
  if (body?.startsWith('{') === true) return JSON.parse(body) as Record<string, string>;
  return Object.fromEntries(new URLSearchParams(body ?? query ?? ''));
};
