'use strict';
/** `node scripts/build/keep-compiled.cjs <folder> [parameters]`: runs the folder's packed program like `packed-main.cjs`, and stores the compiled code and a checksum when it ends. */
const { chmodSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join, resolve } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const folder = resolve(process.argv[2]);
const main = join(folder, 'main.js');
const filename = join(folder, 'packed.js');
const source = readFileSync(filename);
const program = new Script(wrap(source.latin1Slice()), { filename });
process.argv = [process.argv[0], main, ...process.argv.slice(3)];
process.once('exit', () => {
  const code = program.createCachedData();
  const unfinished = join(folder, `packed.cache.${process.pid}`);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(code, crc32(source)));
  writeFileSync(unfinished, Buffer.concat([checksum, code]));
  // The command's umask may allow only its owner, but anyone who runs the program reads this file.
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, join(folder, 'packed.cache'));
});
program.runInThisContext()(exports, createRequire(main), module, main, folder);
