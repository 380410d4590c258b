import { cardInfoControl, orderControl, rebillControl, type Form } from '@app/gateway-protocol';
import { parseAmount } from '@app/kernel';
import type { UpstreamAccount } from '@app/gateway-adapters/paynet';

export interface MaskedNumber {
  readonly bin: string;
  readonly lastFour: string;
}

interface Registrable {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  readonly masked?: MaskedNumber;
}

type Pairs = readonly (readonly [string, string | undefined])[];
export type Told = { readonly kind: 'answer'; readonly pairs: Pairs } | { readonly kind: 'refused'; readonly code: number };

const WRONG_CONTROL: Told = { kind: 'refused', code: 2 };
const BIN_DIGITS = 6;

export const maskedNumber = (number: string): MaskedNumber => ({ bin: number.slice(0, BIN_DIGITS), lastFour: number.slice(-4) });

export class UpstreamCardBook {
  readonly #cards = new Map<string, MaskedNumber>();

  constructor(private readonly account: UpstreamAccount) {}

  register(form: Form, orders: ReadonlyMap<string, Registrable>): Told {
    const { login, controlKey, entryPoint } = this.account;
    const named = { login, clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    if (orderControl(named, controlKey) !== form.text('control')) return WRONG_CONTROL;
    const order = orders.get(named.clientOrderId);
    if (order?.orderId !== named.orderId) return { kind: 'refused', code: 3 };
    if (order.status === 'processing') return { kind: 'refused', code: 4 };
    const cardRefId = `8${order.orderId}`;
    const isApproved = order.status === 'approved' && order.masked !== undefined;
    if (isApproved) this.#cards.set(cardRefId, order.masked);
    return {
      kind: 'answer',
      pairs: [
        ['type', 'create-card-ref-response'],
        ['status', order.status],
        ['card-ref-id', isApproved ? cardRefId : undefined],
        ['end-point-id', entryPoint.id],
      ],
    };
  }

  details(form: Form): Told {
    const { login, controlKey } = this.account;
    const cardRefId = form.text('cardrefid');
    if (cardInfoControl({ login, cardRefId }, controlKey) !== form.text('control')) return WRONG_CONTROL;
    const card = this.#cards.get(cardRefId);
    if (card === undefined) return { kind: 'refused', code: 5 };
    return {
      kind: 'answer',
      pairs: [
        ['type', 'get-card-info-response'],
        ['bin', card.bin],
        ['last-four-digits', card.lastFour],
      ],
    };
  }

  charged(form: Form): MaskedNumber | Extract<Told, { kind: 'refused' }> {
    const { login, controlKey, entryPoint } = this.account;
    const cardRefId = form.text('cardrefid');
    const signed = { entryPoint: entryPoint.id, login, clientOrderId: form.text('client_orderid'), cardRefId };
    const sum = { amountMinor: parseAmount(form.text('amount')) ?? -1n, currency: form.text('currency') };
    if (rebillControl({ ...signed, ...sum }, controlKey, 'without-endpoint') !== form.text('control')) return { kind: 'refused', code: 2 };
    return this.#cards.get(cardRefId) ?? { kind: 'refused', code: 5 };
  }
}
