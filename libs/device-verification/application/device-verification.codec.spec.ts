import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { deviceVerificationCodec } from './device-verification.codec';

goldenSpec(
  deviceVerificationCodec,
  join(__dirname, '../golden'),
  join(__dirname, '../../orders/golden/order'),
  join(__dirname, '../../orders/golden/device'),
);
