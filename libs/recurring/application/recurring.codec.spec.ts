import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { recurringCodec } from './recurring.codec';

goldenSpec(recurringCodec, join(__dirname, '../golden'), join(__dirname, '../../orders/golden/order'));
