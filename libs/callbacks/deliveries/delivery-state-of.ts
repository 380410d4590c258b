import { type DeliveryEvent, evolve, type Delivery } from '../domain/delivery';

export type { Delivery } from '../domain/delivery';

export const deliveryStateOf = (events: readonly DeliveryEvent[]): Delivery => events.reduce<Delivery>(evolve, { status: 'untried' });
