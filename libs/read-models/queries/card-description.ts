import type { OrderStatusView } from '../order-status/order-status.view';

type OfCard = Pick<OrderStatusView, 'card' | 'issuer'>;

export const cardTypeOf = ({ card, issuer }: OfCard): string | undefined => issuer?.cardType ?? card?.face.brand;

/** The members about an order's card that status and callback share (interface, section 2.5). */
export const cardDescription = ({ card, issuer }: OfCard) => ({
  'last-four-digits': card?.face.lastFour,
  bin: card?.face.bin,
  'card-type': cardTypeOf({ card, issuer }),
  'card-exp-month': card?.face.expiryMonth.toString().padStart(2, '0'),
  'card-exp-year': card?.face.expiryYear.toString(),
});
