export type { DeliveryEvent, DeliveryIdentity, TryFailure } from './domain/delivery';
