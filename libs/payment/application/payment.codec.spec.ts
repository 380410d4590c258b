import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { paymentCodec } from './payment.codec';

goldenSpec(paymentCodec, join(__dirname, '../golden'), join(__dirname, '../../orders/golden/order'));
