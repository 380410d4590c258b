export { type CallbackFact, type CallbackFacts, FactMissing, type NotificationFact, callbackRequest } from './deliveries/callback-request';
export { DeliverCallbackReactor, type TriedCallback } from './deliveries/deliver-callback.reactor';
export {
  deliveryKey,
  deliveryStreamsNamed,
  isDeliveryKey,
  parseDeliveryKey,
  deliveryCodec,
  DELIVERY_CATEGORY,
  deliveryStream,
} from './deliveries/delivery.codec';
export { deliveryStateOf } from './deliveries/delivery-state-of';
export { type DeliveryListener, deliveryWork } from './deliveries/delivery-work';
export { RESEND_REASON, type ResendAnswer, ResendCallback } from './deliveries/resend-callback';
export type { DeliveryEvent, Delivery } from './domain/delivery';
export { billingTexts, birthdayOf, holderName } from './merchant-server/agreement';
export { mappingNotification } from './merchant-server/device-transaction';
