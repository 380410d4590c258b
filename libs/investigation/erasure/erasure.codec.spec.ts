import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { erasureCodec } from './erasure.codec';

goldenSpec(erasureCodec, join(__dirname, 'golden'));
