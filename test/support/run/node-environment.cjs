const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** Storages that were used since the test file began. */
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return original.apply(this, args);
  };
}

/**
 * Jest's own for Node, and it lets go of a test file's storages. Each file has one of the test runner's, and until Node 24 whatever storage was ever
 * used is asked at the making of every promise: with two hundred files behind it in its process, a test that takes one second took thirty.
 */
module.exports = class NodeEnvironment extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
