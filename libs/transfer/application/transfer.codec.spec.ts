import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { transferCodec } from './transfer.codec';

goldenSpec(
  transferCodec,
  join(__dirname, '../golden'),
  join(__dirname, '../../orders/golden/order'),
  join(__dirname, '../../orders/golden/device'),
);
