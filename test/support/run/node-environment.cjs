const { AsyncLocalStorage } = require('node:async_hooks');
const { join, relative } = require('node:path');
const threads = require('node:worker_threads');
const { TestEnvironment } = require('jest-environment-node');
const { keepCompiled } = require('./compiled-once.cjs');

const LIBS = join(__dirname, '..', '..', '..', 'libs');

/** Storages that were used since the test file began. */
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

/** Starts the packed form of a worker's source, where the run has packed them. */
threads.Worker = class Worker extends threads.Worker {
  constructor(file, options) {
    const packed = process.env.PACKED_WORKERS;
    if (packed === undefined || !String(file).endsWith('.worker.ts')) super(file, options);
    else super(join(packed, relative(LIBS, file)).replace(/\.ts$/, '.cjs'), { ...options, execArgv: [] });
  }
};

/**
 * Jest's own for Node, and it lets go of a test file's storages. Each file has one of the test runner's, and until Node 24 whatever storage was ever
 * used is asked at the making of every promise: with two hundred files behind it in its process, a test that takes one second took thirty.
 */
module.exports = class NodeEnvironment extends TestEnvironment {
  async teardown() {
    keepCompiled();
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
