import type { Egress } from '@app/egress';
import { token } from '@app/injection';
import type { TriedCallback } from './application/deliver-callback.reactor';
import type { CallbackFacts } from './callback-facts';

/** What is told of an order's end, and to whom. */
export const CALLBACK_FACTS = token<CallbackFacts>('CALLBACK_FACTS');

/** The way out to the addresses of callbacks and notifications. */
export const CALLBACK_EGRESS = token<Egress>('CALLBACK_EGRESS');

export interface DeliveriesWatch {
  tried(tried: TriedCallback): void;
}

/** Hears of each try. */
export const DELIVERIES_WATCH = token<DeliveriesWatch>('DELIVERIES_WATCH');
