import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { screeningCodec, velocityCodec } from './screening.codec';

goldenSpec(screeningCodec, join(__dirname, '..', 'golden', 'screening'));
goldenSpec(velocityCodec, join(__dirname, '..', 'golden', 'velocity'));
