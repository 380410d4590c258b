import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { randomSumCodec } from './random-sum.codec';

goldenSpec(randomSumCodec, join(__dirname, '..', 'golden', 'random-sum'));
