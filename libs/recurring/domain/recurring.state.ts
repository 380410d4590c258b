import { evolveProcessing, processingOf, type Processing } from '@app/orders/domain';
import type { RecurrentPaymentAccepted, RecurringEvent } from './recurring.events';

export type Recurring =
  | { readonly status: 'none' }
  | { readonly status: 'accepted'; readonly order: RecurrentPaymentAccepted['data']; readonly processing: Processing };

export const evolve = (state: Recurring, event: RecurringEvent): Recurring => {
  if (event.type === 'OrderAccepted') {
    if (state.status !== 'none') throw new Error('OrderAccepted twice');
    return { status: 'accepted', order: event.data, processing: processingOf(event.data) };
  }
  if (state.status === 'none') throw new Error(`${event.type} before OrderAccepted`);
  return { ...state, processing: evolveProcessing(state.processing, event) };
};
