import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { routingCodec } from './routing.codec';

goldenSpec(routingCodec, join(__dirname, '..', 'golden', 'routing'));
