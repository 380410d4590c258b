const circus = require('jest-circus');
const fc = require('fast-check');

/** Nobody reads why a test fails under a mutant, and to tell two large values apart in words takes longer than all tests. */
const wordsOfFailures = require.resolve('jest-matcher-utils', { paths: [require.resolve('expect')] });
const unsaid = () => '';
const words = require(wordsOfFailures);
require.cache[wordsOfFailures].exports = { ...words, diff: unsaid, printDiffOrStringify: unsaid, stringify: unsaid };
const { expect } = require('expect');

/** A mutant that one run kills has to die in the next too, or the score says nothing of a change; and its smallest example is of no use. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261, endOnFailure: true });
const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect });

/** What a test may wait for; it counts no computing, which no timer interrupts. */
const TEST_TIMEOUT_MS = 4_000;

let running;
const strayError = (error) => void running?.fail(error);
process.on('uncaughtException', strayError);
process.on('unhandledRejection', strayError);

circus.addEventHandler((event) => {
  if (running === undefined) return;
  if (event.name === 'test_start') {
    const index = running.count++;
    if (running.isOver() || running.only?.has(index) === false) event.test.mode = 'skip';
    else running.onTest(index);
  }
  if (event.name === 'test_fn_success' || event.name === 'test_done' || event.name === 'test_fn_failure') {
    running.onTest(undefined);
    const [error] = event.test.errors;
    if (error !== undefined) running.fail(error);
  }
});

/**
 * Runs a spec on freshly loaded modules, up to its first failure.
 * @param only indices of the tests to run, in order of their definition; all where undefined
 * @param onTest called with the index of the test that runs, and undefined between tests
 * @returns the first failure, or undefined
 */
exports.runSpec = async (modules, file, { only, onTest = () => undefined } = {}) => {
  let failure;
  let isFailed = false;
  running = {
    count: 0,
    only,
    onTest,
    isOver: () => isFailed,
    fail: (error) => {
      failure ??= { error };
      isFailed = true;
    },
  };
  circus.resetState();
  circus.getState().testTimeout = TEST_TIMEOUT_MS;
  modules.forget();
  try {
    modules.load(file);
    const { unhandledErrors } = await circus.run();
    if (unhandledErrors.length > 0) running.fail(unhandledErrors[0]);
  } catch (error) {
    running.fail(error);
  }
  running = undefined;
  return failure;
};
