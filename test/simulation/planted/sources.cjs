// Loads TypeScript as Jest does here (tsx leaves out the types of constructors, by which the parts are wired), and puts a planted bug into the text of its
// files as they are loaded: no file is changed, and no other process sees it.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');
const jest = require('../../../jest.config.js');

const root = path.resolve(__dirname, '../../..');
const [, swc] = jest.projects[0].transform['^.+\\.ts$'];
const editsByFile = new Map();

const textOf = (filename) =>
  (editsByFile.get(filename) ?? []).reduce(
    (text, { file, find, put }) => {
      const parts = text.split(find);
      if (parts.length !== 2) throw new Error(`${file} has the text that the bug replaces ${parts.length - 1} times`);
      return parts.join(put);
    },
    readFileSync(filename, 'utf8'),
  );

const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => resolve(name.startsWith('@app/') ? path.join(root, 'libs', name.slice(5)) : name, ...rest);
Module._extensions['.ts'] = (module, filename) => module._compile(transformSync(textOf(filename), { ...swc, filename }).code, filename);

const name = process.env.PLANTED_BUG;
if (name !== undefined) {
  const bug = require('./planted-bugs.ts').PLANTED_BUGS.find((planted) => planted.name === name);
  if (bug === undefined) throw new Error(`no planted bug is named ${name}`);
  for (const { file, ...edit } of bug.edits) {
    const filename = path.join(root, file);
    editsByFile.set(filename, [...(editsByFile.get(filename) ?? []), { file, ...edit }]);
  }
}
