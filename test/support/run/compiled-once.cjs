const vm = require('node:vm');

const { compileFunction } = vm;
/** What V8 made of a file, functions that were called among it, by the file's name. */
const known = new Map();
let fresh = [];

/**
 * Compiles a module of a test file from what V8 kept of it, where an earlier test file of the process loaded the same. Jest compiles each module anew in
 * every test file, which is half of what it costs to load; V8's own cache does not serve it, since Jest names a hook for `import()`. No module here
 * has one: the compiler makes `require` of it.
 */
vm.compileFunction = (code, parameters, options) => {
  const { filename, parsingContext } = options;
  if (filename === undefined || parsingContext === undefined) return compileFunction(code, parameters, options);
  const head = `(function (${parameters.join(',')}) {`;
  const before = known.get(filename);
  const cachedData = before?.code === code && before.head === head ? before.data : undefined;
  // Line and column of an error are those of the code.
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) fresh.push({ filename, head, code, script });
  return script.runInContext(parsingContext);
};

/** Keeps what was compiled since the last call; called when a test file is through, for by then its functions are compiled too. */
exports.keepCompiled = () => {
  for (const { filename, head, code, script } of fresh) known.set(filename, { head, code, data: script.createCachedData() });
  fresh = [];
};
