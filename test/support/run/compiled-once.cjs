const vm = require('node:vm');

const { compileFunction } = vm;
/** V8's compiled code by file name, including called functions. */
const known = new Map();
let fresh = [];

/**
 * Reuses V8's compiled code between test files of a process, because compiling is half of a module's loading time. Jest's `import()` hook
 * disables V8's own cache; compiled modules only use `require`.
 */
vm.compileFunction = (code, parameters, options) => {
  const { filename, parsingContext } = options;
  if (filename === undefined || parsingContext === undefined) return compileFunction(code, parameters, options);
  const head = `(function (${parameters.join(',')}) {`;
  const before = known.get(filename);
  const cachedData = before?.code === code && before.head === head ? before.data : undefined;
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) fresh.push({ filename, head, code, script });
  return script.runInContext(parsingContext);
};

/** Called at the end of a test file, when its functions are compiled too. */
exports.keepCompiled = () => {
  for (const { filename, head, code, script } of fresh) known.set(filename, { head, code, data: script.createCachedData() });
  fresh = [];
};
