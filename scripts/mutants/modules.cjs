const { readFileSync, existsSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');
const { transformSync } = require('@swc/core');
const [unit] = require('../../jest.config.js').projects;

const [, swcOptions] = unit.transform['^.+\\.ts$'];
const ROOT = resolve(__dirname, '../..');
const ALIAS = /^@app\/(.*)$/;

const isFile = (path) => existsSync(path) && statSync(path).isFile();

/** The file of ours that a name stands for, or undefined where it is a package's or Node's. */
const ownFile = (name, from) => {
  const alias = ALIAS.exec(name);
  if (alias === null && !name.startsWith('.')) return undefined;
  const base = alias === null ? resolve(dirname(from), name) : join(ROOT, 'libs', alias[1]);
  const found = [`${base}.ts`, join(base, 'index.ts'), base].find(isFile);
  if (found === undefined) throw new Error(`${from} imports ${name}, which is no file`);
  return found;
};

/**
 * Loads our modules as Jest would, again and again in one process: a file is compiled once, and `forget` makes the next load evaluate all anew, because
 * a mutant may stand in a constant. Packages are loaded once.
 */
exports.createModules = (contentByFile) => {
  const scripts = new Map();
  let loaded = new Map();
  const scriptOf = (file) => {
    const known = scripts.get(file);
    if (known !== undefined) return known;
    const source = contentByFile.get(file) ?? readFileSync(file, 'utf8');
    const { code } = transformSync(source, { ...swcOptions, sourceMaps: false, filename: file });
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, { filename: file });
    scripts.set(file, script);
    return script;
  };
  const load = (file) => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(file, module);
    if (!file.endsWith('.ts')) module.exports = createRequire(file)(file);
    else {
      const requireOfPackage = createRequire(file);
      const requireOf = (name) => {
        const own = ownFile(name, file);
        return own === undefined ? requireOfPackage(name) : load(own);
      };
      requireOf.resolve = requireOfPackage.resolve;
      scriptOf(file).runInThisContext()(module.exports, requireOf, module, file, dirname(file));
    }
    return module.exports;
  };
  return { load, forget: () => void (loaded = new Map()) };
};
