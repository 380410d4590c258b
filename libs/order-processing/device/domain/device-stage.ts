import type { Instant, NonEmpty } from '@app/kernel';
import type { FeeOffer } from './device.events';

/**
 * What comes between the acceptance of an order of the device interface and its gates: the merchant server's check and, where the consumer chooses
 * the rates, the choice (interface, section 3.2; protocol decisions, section 8).
 */
export type DeviceStage =
  | { readonly status: 'unchecked' }
  | { readonly status: 'checked' }
  | { readonly status: 'fee-offered'; readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant }
  | { readonly status: 'fee-chosen'; readonly chosen: FeeOffer };
