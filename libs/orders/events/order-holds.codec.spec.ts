import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { orderHoldsCodec } from './order-holds.codec';

goldenSpec(orderHoldsCodec, join(__dirname, '..', 'golden', 'switch'));
