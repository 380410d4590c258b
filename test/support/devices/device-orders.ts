import type { SaleOrder, TransferOrder, VerificationOrder } from '@app/device-client';
import { Secret } from '@app/kernel';
import { CARD_NUMBERS, cardInHand } from './three-parties';

/** A perform must carry the e-mail that the merchant server knows. */
export const EMAIL = 'kim@example.com';

export const verificationOrder = (securityCode = '123', more: Partial<VerificationOrder> = {}): VerificationOrder => ({
  operation: 'verification',
  currency: 'USD',
  email: EMAIL,
  card: cardInHand(securityCode),
  ...more,
});

export const saleOrder = (securityCode = '123', more: Partial<SaleOrder> = {}): SaleOrder => ({
  operation: 'sale',
  currency: 'USD',
  email: EMAIL,
  amountCentis: 1_042n,
  source: { card: cardInHand(securityCode) },
  ...more,
});

export const transferOrder = (securityCode = '123', more: Partial<TransferOrder> = {}): TransferOrder => ({
  operation: 'transfer',
  currency: 'USD',
  email: EMAIL,
  amountCentis: 100_000n,
  source: { card: cardInHand(securityCode) },
  destination: { card: { number: new Secret(CARD_NUMBERS.destination) } },
  ...more,
});
