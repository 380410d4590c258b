#!/usr/bin/env node
'use strict';
/** Runs the adjacent packed program with its stored compiled code. V8 compiles again if its version or flags differ. */
const { readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const CHECKSUM_BYTES = 4;
const filename = join(__dirname, 'packed.js');
const source = readFileSync(filename);

/** V8 only checks the source's length and crashes on damaged code. The checksum rejects code that is damaged or of another source. */
const kept = () => {
  let file;
  try {
    file = readFileSync(join(__dirname, 'packed.cache'));
  } catch {
    return undefined;
  }
  if (file.length < CHECKSUM_BYTES) return undefined;
  const code = file.subarray(CHECKSUM_BYTES);
  return file.readUInt32BE(0) === crc32(code, crc32(source)) ? code : undefined;
};

// The build emits only ASCII: a single-byte text needs half the memory.
const program = new Script(wrap(source.latin1Slice()), { filename, cachedData: kept() });
program.runInThisContext()(exports, require, module, __filename, __dirname);
