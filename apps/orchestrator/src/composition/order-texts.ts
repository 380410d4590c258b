export { orderTexts } from '@app/order-processing';
