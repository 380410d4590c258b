import { readFileSync } from 'node:fs';
import { wrap } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const APPS = join(__dirname, '../../../dist/apps');
const CHECKSUM_BYTES = 4;

/** A program also starts without it, so a build that kept none would go unnoticed. */
it.each(['orchestrator', 'cli', 'merchant-server'])(
  'the build contains a compile cache of %s that this Node version accepts',
  (program) => {
    const [source, kept] = ['packed.js', 'packed.cache'].map((name) => readFileSync(join(APPS, program, 'src', name))) as [Buffer, Buffer];
    const code = Buffer.from(kept.subarray(CHECKSUM_BYTES));
    expect(kept.readUInt32BE(0)).toBe(crc32(code, crc32(source)));
    expect(new Script(wrap(source.toString('latin1')), { cachedData: code }).cachedDataRejected).toBe(false);
  },
);
