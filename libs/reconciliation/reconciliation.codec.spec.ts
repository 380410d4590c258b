import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { reconciliationCodec } from './reconciliation.codec';

goldenSpec(reconciliationCodec, join(__dirname, 'golden'));
