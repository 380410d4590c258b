import { join } from 'node:path';
import { uniqueClaimCodec } from './unique-claim';
import { serialCodec } from './number-blocks';
import { goldenSpec } from '../testing/golden-files';

goldenSpec(uniqueClaimCodec, join(__dirname, 'golden', 'once'));
goldenSpec(serialCodec, join(__dirname, 'golden', 'serial'));
