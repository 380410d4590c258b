import { join } from 'node:path';
import { goldenSpec } from '@app/event-store/testing';
import { approvalCodec } from './approval.codec';

goldenSpec(approvalCodec, join(__dirname, 'golden'));
