const { readFileSync, realpathSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script, constants, runInNewContext } = require('node:vm');

// Preloaded into a program under test.

// It must not outlive a test runner that was killed: its stdin closes with the runner.
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdin.resume();
process.stdin.unref();

// Asked for by `heldMib`. What is left once everything was collected is held; how far a heap grows before that depends on what else the machine does.
process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // The first one leaves pages that only the next one gives back.
  collect();
  collect();
  const path = join(__dirname, '../../../dist', `memory-of-${process.pid}.txt`);
  writeFileSync(`${path}.new`, `${process.memoryUsage.rss()}`);
  renameSync(`${path}.new`, path);
});

/** By then a start has compiled all that starts have in common. */
const COMPILED_AFTER_MS = 2_000;

const program = realpathSync(process.argv[1]);
const { mtimeMs } = statSync(program);
const cachePath = `${program}.${mtimeMs}.${process.version}.compiled`;

const compiledBefore = () => {
  try {
    return readFileSync(cachePath);
  } catch {
    return undefined;
  }
};

/** Whole or not at all: other starts read it at the same time. */
const keep = (script) => {
  const own = `${cachePath}.${process.pid}`;
  writeFileSync(own, script.createCachedData());
  renameSync(own, cachePath);
};

// A run starts the same text some hundred times: what V8 made of it is kept beside it, a third of what a start costs.
const { _compile: compile } = Module.prototype;
Module.prototype._compile = function (text, filename, ...rest) {
  if (filename !== program) return compile.call(this, text, filename, ...rest);
  const cachedData = compiledBefore();
  const script = new Script(Module.wrap(text.replace(/^#!.*/, '')), {
    filename,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) setTimeout(keep, COMPILED_AFTER_MS, script).unref();
  return script.runInThisContext().call(this.exports, this.exports, Module.createRequire(filename), this, filename, dirname(filename));
};
