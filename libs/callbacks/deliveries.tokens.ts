import type { Egress } from '@app/http/client';
import { token } from '@app/kernel/injection';
import type { TriedCallback } from './deliveries/deliver-callback.reactor';
import type { CallbackFacts } from './deliveries/callback-request';

export const CALLBACK_FACTS = token<CallbackFacts>('CALLBACK_FACTS');

export const CALLBACK_EGRESS = token<Egress>('CALLBACK_EGRESS');

export interface DeliveriesListener {
  tried(tried: TriedCallback): void;
}

export const DELIVERIES_LISTENER = token<DeliveriesListener>('DELIVERIES_LISTENER');
