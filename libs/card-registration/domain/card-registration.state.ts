import { isChargeable, type OrderCard, type ReceivingCard } from '@app/order-processing/domain';
import type { CardReferenceIssued, CardRegistrationEvent } from './card-registration.events';

type Issued = Omit<CardReferenceIssued['data'], 'use' | 'card'> & { readonly status: 'issued' };

export type CardRegistration =
  | { readonly status: 'none' }
  | (Issued & { readonly use: 'source'; readonly card: OrderCard })
  | (Issued & { readonly use: 'destination'; readonly card: ReceivingCard });

export const evolve = (state: CardRegistration, event: CardRegistrationEvent): CardRegistration => {
  if (state.status !== 'none') throw new Error(`${event.type} twice`);
  const { use, card, ...issued } = event.data;
  if (use === 'destination') return { status: 'issued', use, card, ...issued };
  if (!isChargeable(card)) throw new Error('a reference to charge a card that only receives');
  return { status: 'issued', use, card, ...issued };
};
