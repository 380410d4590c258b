import type { Sealed } from '@app/kernel';
import type { OrderStatusView } from '@app/read-models';
import type { DatedEvent } from '../as-of/dated-events';
import type { SealedConsumer } from './consumer';

/** The sealed texts of an order: the state has those of the payer, and the acceptance those of the device. */
export const sealedConsumer = (
  { merchant, customer, details }: Pick<OrderStatusView, 'merchant' | 'customer' | 'details'>,
  history: readonly DatedEvent[],
): SealedConsumer => {
  const accepted = history[0]?.logEvent.event.data as { readonly device?: Sealed } | undefined;
  return { merchant, customer, details, ...(accepted?.device !== undefined && { device: accepted.device }) };
};
