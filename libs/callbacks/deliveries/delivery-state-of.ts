import { type DeliveryEvent, evolve, type Delivery } from '../domain/delivery';

export type { Delivery } from '../domain/delivery';

/** The state of a delivery by the events of its stream in order; without events it is untried. */
export const deliveryStateOf = (events: readonly DeliveryEvent[]): Delivery => events.reduce<Delivery>(evolve, { status: 'untried' });
