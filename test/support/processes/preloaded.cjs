const { readFileSync, realpathSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script, constants, runInNewContext } = require('node:vm');

// The program must not outlive a killed test runner: its stdin closes with the runner.
process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdin.resume();
process.stdin.unref();

// Sent by `heldMib`. Heap size before a collection depends on the machine's load, so it is measured after one.
process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // The second collection returns the pages that the first one frees.
  collect();
  collect();
  const path = join(__dirname, '../../../dist', `memory-of-${process.pid}.txt`);
  writeFileSync(`${path}.new`, `${process.memoryUsage.rss()}`);
  renameSync(`${path}.new`, path);
});

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

/** Renames a complete file, because other starts read it at the same time. */
const keep = (script) => {
  const own = `${cachePath}.${process.pid}`;
  writeFileSync(own, script.createCachedData());
  renameSync(own, cachePath);
};

// A test run starts the same program hundreds of times. Cached compiled code saves a third of a start.
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
