import { createCipheriv } from 'node:crypto';
import { makeOrderId, orderKindLetter, OrderNumbers, textOrderKind, type OrderIds, type Random } from '@app/kernel';

export const sampleOrderNumbers = (): OrderNumbers =>
  new OrderNumbers((bytes) => createCipheriv('aes-256-ctr', Buffer.alloc(32, 'tests'), Buffer.alloc(16)).update(Buffer.alloc(bytes)));

export const textOrderIds = (random: Random): OrderIds => ({
  next: (kind) => makeOrderId(orderKindLetter(kind), (size) => random.bytes(size)),
  kindOf: textOrderKind,
});
