import vm from 'node:vm';

const { compileFunction, Script } = vm;
/** Loading the module wraps objects that all files of the process share. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- as above
const load = (): { keepCompiled(): void } => require('./compiled-once.cjs') as { keepCompiled(): void };
const context = vm.createContext({ Error });
const compile = (code: string, filename: string | undefined = '/some/module.js'): ((exports: object) => unknown) =>
  vm.compileFunction(code, ['exports'], { filename, parsingContext: context }) as (exports: object) => unknown;

describe('the modules of a test file', () => {
  let last: { readonly script: vm.Script; readonly kept: unknown } | undefined;

  beforeEach(() => {
    last = undefined;
    vm.Script = class extends Script {
      constructor(code: string, options: vm.ScriptOptions) {
        super(code, options);
        last = { script: this, kept: options.cachedData };
      }
    };
  });
  afterEach(() => {
    Object.assign(vm, { compileFunction, Script });
    jest.resetModules();
  });

  it('are compiled from the compile cache', () => {
    const { keepCompiled } = load();
    const code = 'exports.sum = (a, b) => a + b; return exports.sum(1, 2);';
    expect(compile(code)({})).toBe(3);
    expect(last?.kept).toBeUndefined();
    keepCompiled();
    expect(compile(code)({})).toBe(3);
    expect(last?.kept).toBeInstanceOf(Buffer);
    expect(last?.script.cachedDataRejected).toBe(false);
  });

  it('are recompiled if they differ from the cached source', () => {
    const { keepCompiled } = load();
    expect(compile('return 1')({})).toBe(1);
    keepCompiled();
    expect(compile('return 2')({})).toBe(2);
    expect(last?.kept).toBeUndefined();
  });

  it.each([
    ['first', "throw new Error('there')", '/some/module.js:1:7'],
    ['second', "\n  throw new Error('there')", '/some/module.js:2:9'],
  ])('report the position of an error in their %s line', (_line, code, place) => {
    load();
    expect(() => compile(code)({})).toThrow(expect.objectContaining({ stack: expect.stringContaining(place) as string }) as Error);
  });

  it('keep their leading directive', () => {
    load();
    expect(compile("'use strict'; return (function () { return this; })();")({})).toBeUndefined();
  });
});
