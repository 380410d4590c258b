import { EGRESS_DEADLINE_MS, type EgressOutcome, type EgressRequest } from '@app/http/client';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';

export interface LineFaults {
  readonly forged: number;
}

export const HONEST_LINE: LineFaults = { forged: 0 };

export interface LineSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly faults: () => LineFaults;
}

export interface NotificationSent {
  readonly webhookId: string;
  readonly atMs: number;
  readonly isDelivery: boolean;
}

type Answered = Extract<EgressOutcome, { readonly kind: 'answered' }>;

const CHECK = /\/([^/]+)\/check$/;
const NOTIFICATION = /\/notification$/;

const serialIn = (body: string | undefined): string =>
  (JSON.parse(body ?? '{}') as { readonly consumer?: { readonly device?: { readonly serialNumber?: string } } }).consumer?.device
    ?.serialNumber ?? '';

/** The connection between the service and the merchant server, with a record, and a possible attacker on it. */
export class MerchantServerLine {
  readonly confirmed = new Set<string>();
  readonly notifications: NotificationSent[] = [];
  readonly #confirmations = new Map<string, Answered & { readonly invoiceId: string }>();

  constructor(private readonly settings: LineSettings) {}

  async send(request: EgressRequest): Promise<EgressOutcome> {
    const { url, deadlineMs, headers, body } = request;
    const { time, chance, faults } = this.settings;
    if (NOTIFICATION.test(url))
      this.notifications.push({ webhookId: headers['webhook-id'] ?? '', atMs: time.now(), isDelivery: deadlineMs === undefined });
    const outcome = await this.#answered(request);
    const invoiceId = CHECK.exec(url)?.[1];
    if (invoiceId === undefined || outcome.kind !== 'answered' || outcome.body?.includes('checkSignature') !== true) return outcome;
    const serial = serialIn(body);
    const other = this.#confirmations.get(serial);
    if (other !== undefined && other.invoiceId !== invoiceId && chance.happens(faults().forged, 'line.forged', invoiceId)) return other;
    this.confirmed.add(invoiceId);
    this.#confirmations.set(serial, { ...outcome, invoiceId });
    return outcome;
  }

  #answered({ url, query, method, headers, body, deadlineMs = EGRESS_DEADLINE_MS }: EgressRequest): Promise<EgressOutcome> {
    const { time, network } = this.settings;
    const late = new Promise<EgressOutcome>((resolve) => void time.after(deadlineMs, () => resolve({ kind: 'timed-out' })));
    const asked = network
      .send(query === undefined ? url : `${url}?${query}`, { method, headers, body: body ?? '' })
      .then(({ status, body: answer }): EgressOutcome => ({ kind: 'answered', status, body: answer }))
      .catch((error: unknown): EgressOutcome => {
        if (!(error instanceof ConnectionLost)) throw error;
        return { kind: 'connection-failed', code: 'ECONNRESET' };
      });
    return Promise.race([asked, late]);
  }
}
