export { type DeviceOrderHandler, PerformTranslation } from './device/perform.translation';
export { StatusTranslation } from './device/device-status.answer';
export { FOLLOW_UP_REFUSALS, FollowUpController } from './follow-up.controller';
export {
  findAddressFault,
  ORDER_INTAKE,
  ORDER_REFUSALS,
  orderIntake,
  type OrderIntakePorts,
  refusedOrder,
  isOffered,
} from './order-intake';
export { OrderStatusController } from './order-status.controller';
export { decodePayerLink, encodePayerLink, type PayerLink, PayerPages } from './payer/payer-link';
export { Receipts } from './receipts';
