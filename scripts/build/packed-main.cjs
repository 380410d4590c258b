#!/usr/bin/env node
'use strict';
/**
 * Runs the packed program that lies beside it, with the compiled code that the build kept of it: half of what a command takes is compiling. Another
 * version of the engine, or other flags, refuse that code and compile the program as ever.
 */
const { readFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const CHECKSUM_BYTES = 4;
const filename = join(__dirname, 'packed.js');
const source = readFileSync(filename);

/** The engine looks at the length of a source alone, and dies of code that rotted: what is not of this very source, or not whole, is left. */
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

// The build leaves no characters but ASCII: a text of single bytes takes half of the memory.
const program = new Script(wrap(source.latin1Slice()), { filename, cachedData: kept() });
program.runInThisContext()(exports, require, module, __filename, __dirname);
