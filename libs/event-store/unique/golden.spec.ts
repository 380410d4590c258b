import { join } from 'node:path';
import { onceCodec } from './unique-claim';
import { serialCodec } from './number-blocks';
import { goldenSpec } from '../testing/golden-files';

goldenSpec(onceCodec, join(__dirname, 'golden', 'once'));
goldenSpec(serialCodec, join(__dirname, 'golden', 'serial'));
