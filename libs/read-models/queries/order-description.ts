import type { Merchant } from '@app/configuration';
import { formatAmount } from '@app/kernel';
import type { OrderStatusView } from '../order-status/order-status.view';

type OfCard = Pick<OrderStatusView, 'card' | 'issuer'>;

export const cardTypeOf = ({ card, issuer }: OfCard): string | undefined => issuer?.cardType ?? card?.face.brand;

/** Shared by status and callback (interface, section 2.5). */
export const cardDescription = ({ card, issuer }: OfCard) => ({
  'last-four-digits': card?.face.lastFour,
  bin: card?.face.bin,
  'card-type': cardTypeOf({ card, issuer }),
  'card-exp-month': card?.face.expiryMonth.toString().padStart(2, '0'),
  'card-exp-year': card?.face.expiryYear.toString(),
});

const enabled = (isEnabled: boolean): string => (isEnabled ? 'enabled' : 'disabled');

/** Shared by status and callback (interface, section 2.5). */
export const gateDescription = (gate: OrderStatusView['gate']) => ({
  'gate-partial-reversal': gate === null ? undefined : enabled(gate.partialReversal),
  'gate-partial-capture': gate === null ? undefined : enabled(gate.partialCapture),
  descriptor: gate?.descriptor,
  'original-gate-descriptor': gate?.gateDescriptor,
});

/**
 * Hides `unknown` from merchant and payer: the interface does not list it, and shop modules would fail a paid order (protocol decisions,
 * section 12).
 * @param merchant undefined if the configuration no longer has the merchant
 */
export const merchantStatus = (status: OrderStatusView['status'], merchant: Pick<Merchant, 'unknownStatus'> | undefined): string =>
  status === 'unknown' ? (merchant?.unknownStatus ?? 'processing') : status;

export const hasAmount = ({ operation }: Pick<OrderStatusView, 'operation'>): boolean => operation !== 'account-verification';

type Amount = { readonly amount: string | undefined; readonly currency: string | undefined };

/** In status and callback; an account verification has none (protocol decisions, section 2). */
export const orderAmount = (view: Pick<OrderStatusView, 'operation' | 'amountMinor' | 'currency'>): Amount =>
  hasAmount(view)
    ? { amount: formatAmount(BigInt(view.amountMinor)), currency: view.currency }
    : { amount: undefined, currency: undefined };
