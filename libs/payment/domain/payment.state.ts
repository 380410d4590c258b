import { evolveProcessing, processingOf, type AcceptedOrder, type Processing } from '@app/orders/domain';
import type { PaymentEvent } from './payment.events';

export type Payment =
  { readonly status: 'none' } | { readonly status: 'accepted'; readonly order: AcceptedOrder; readonly processing: Processing };

export const evolve = (state: Payment, event: PaymentEvent): Payment => {
  if (event.type === 'OrderAccepted') {
    if (state.status !== 'none') throw new Error('OrderAccepted twice');
    return { status: 'accepted', order: event.data, processing: processingOf(event.data) };
  }
  if (state.status === 'none') throw new Error(`${event.type} before OrderAccepted`);
  return { ...state, processing: evolveProcessing(state.processing, event) };
};
