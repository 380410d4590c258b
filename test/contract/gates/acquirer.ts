import type { ReceivedRequest } from '@app/gateway-adapters/client/testing';
import type { ChargeRequest } from '@app/gateway-adapters/contract';

interface Payment {
  readonly reference: string;
  readonly id: string;
  state: 'approved' | 'declined' | 'pending';
  readonly amount: string;
  readonly currency: string;
  readonly authorisationCode?: string;
  readonly reason?: string;
  readonly processedAt: string;
  readonly notificationUrl?: string;
}

interface Answered {
  readonly status: number;
  readonly body: string;
}

const CREATE = /^\/payments$/;
const PROCESSED_AT = '2026-01-01T12:00:00Z';
const FIND = /^\/payments\/([^/]+)$/;

export class Acquirer {
  readonly payments = new Map<string, Payment>();

  constructor(private readonly apiKey: string) {}

  settle(): void {
    for (const payment of this.payments.values()) if (payment.state === 'pending') payment.state = 'approved';
  }

  answer({ method, path, headers, body }: ReceivedRequest): Answered {
    if (headers.get('authorization') !== `Bearer ${this.apiKey}`) return { status: 401, body: '{"error":"unauthorised"}' };
    const [, reference] = FIND.exec(path) ?? [];
    if (method === 'POST' && CREATE.test(path)) return this.#create(body);
    if (method === 'GET' && reference !== undefined) return this.#find(decodeURIComponent(reference));
    return { status: 404, body: '{"error":"no-such-operation"}' };
  }

  /** The payment's current state. An unknown payment is reported approved. */
  notificationAbout({ key, amount }: Pick<ChargeRequest, 'key' | 'amount'>): string {
    const { notificationUrl: _url, ...payment } = this.payments.get(key) ?? {
      reference: key,
      amount: String(amount.minor),
      currency: amount.currency,
      id: 'A-0',
      processedAt: PROCESSED_AT,
      ...decided(undefined),
    };
    return JSON.stringify(payment);
  }

  #create(body: string): Answered {
    const asked = JSON.parse(body) as Pick<Payment, 'reference' | 'amount' | 'currency' | 'notificationUrl'> & {
      readonly card: { readonly securityCode?: string };
    };
    const { reference, amount, currency, card, notificationUrl } = asked;
    const known = this.payments.get(reference);
    if (known === undefined)
      this.payments.set(reference, {
        reference,
        amount,
        currency,
        id: `A-${this.payments.size + 1}`,
        processedAt: PROCESSED_AT,
        ...(notificationUrl !== undefined && { notificationUrl }),
        ...decided(card.securityCode),
      });
    else if (known.amount !== amount) return { status: 409, body: '{"error":"reference-used"}' };
    return this.#find(reference);
  }

  #find(reference: string): Answered {
    const payment = this.payments.get(reference);
    return payment === undefined ? { status: 404, body: '{"error":"unknown-payment"}' } : { status: 200, body: JSON.stringify(payment) };
  }
}

const decided = (securityCode: string | undefined): Pick<Payment, 'state' | 'authorisationCode' | 'reason'> => {
  if (securityCode === '116') return { state: 'declined', reason: 'insufficient-funds' };
  return { state: securityCode === '217' ? 'pending' : 'approved', authorisationCode: '123456' };
};
