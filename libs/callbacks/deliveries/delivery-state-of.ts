import type { DeliveryEvent } from '../domain/delivery.events';
import { evolve, type Delivery } from '../domain/delivery.state';

export type { Delivery } from '../domain/delivery.state';

/** The state of a delivery by the events of its stream in order; without events it is untried. */
export const deliveryStateOf = (events: readonly DeliveryEvent[]): Delivery => events.reduce<Delivery>(evolve, { status: 'untried' });
