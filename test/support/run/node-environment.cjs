const { AsyncLocalStorage } = require('node:async_hooks');
const { join, relative } = require('node:path');
const threads = require('node:worker_threads');
const { TestEnvironment } = require('jest-environment-node');
const { keepCompiled } = require('./compiled-once.cjs');

const LIBS = join(__dirname, '..', '..', '..', 'libs');

const used = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

threads.Worker = class Worker extends threads.Worker {
  constructor(file, options) {
    const packed = process.env.PACKED_WORKERS;
    if (packed === undefined || !String(file).endsWith('.worker.ts')) super(file, options);
    else super(join(packed, relative(LIBS, file)).replace(/\.ts$/, '.cjs'), { ...options, execArgv: [] });
  }
};

/**
 * Disables a test file's async storages after it. Until Node 24, every promise calls every storage ever used, which made later files thirty
 * times slower.
 */
module.exports = class NodeEnvironment extends TestEnvironment {
  async teardown() {
    keepCompiled();
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
