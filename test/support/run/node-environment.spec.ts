import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import threads from 'node:worker_threads';
import vm from 'node:vm';

interface Environment {
  setup(): Promise<void>;
  teardown(): Promise<void>;
}
type EnvironmentClass = new (config: object, context: object) => Environment;

const CONFIG = { globalConfig: {}, projectConfig: { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} } };
const CONTEXT = { console, docblockPragmas: {}, testPath: __filename };

const { run, enterWith } = AsyncLocalStorage.prototype;
const { Worker } = threads;
const { compileFunction } = vm;
// eslint-disable-next-line @typescript-eslint/no-require-imports -- it wraps what it finds when it is loaded
const load = (): EnvironmentClass => require('./node-environment.cjs') as EnvironmentClass;

/** Loading the module wraps objects that all files of the process share. */
afterEach(() => {
  Object.assign(AsyncLocalStorage.prototype, { run, enterWith });
  Object.assign(threads, { Worker });
  Object.assign(vm, { compileFunction });
  jest.resetModules();
});

describe('the environment of a test file', () => {
  it.each([
    ['run', (storage: AsyncLocalStorage<string>): unknown => storage.run('kept', () => storage.getStore())],
    ['entered', (storage: AsyncLocalStorage<string>): unknown => storage.enterWith('kept')],
  ])('disables a storage that was %s in it', async (_way, use) => {
    const NodeEnvironment = load();
    const environment = new NodeEnvironment(CONFIG, CONTEXT);
    await environment.setup();
    const storage = new AsyncLocalStorage<string>();
    const disable = jest.spyOn(storage, 'disable');
    use(storage);
    expect(disable).not.toHaveBeenCalled();
    await environment.teardown();
    expect(disable).toHaveBeenCalledTimes(1);
    expect(storage.getStore()).toBeUndefined();
  });
});

describe('a worker thread in a test', () => {
  const LIBS = resolve(__dirname, '../../../libs');
  const packedBefore = process.env['PACKED_WORKERS'];
  const folder = mkdtempSync(join(tmpdir(), 'packed-workers-'));

  afterEach(() => {
    process.env['PACKED_WORKERS'] = packedBefore;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a packed form for every worker source', () => {
    const sources = readdirSync(LIBS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.worker.ts'));
    expect(sources.length).toBeGreaterThan(0);
    const missing = sources.filter((name) => !existsSync(join(packedBefore ?? '', name.replace(/ts$/, 'cjs'))));
    expect(missing).toEqual([]);
  });

  it('starts from the packed form without the TypeScript loader', async () => {
    writeFileSync(join(folder, 'some.worker.cjs'), "require('node:worker_threads').parentPort.postMessage(process.execArgv)");
    process.env['PACKED_WORKERS'] = folder;
    load();
    const worker = new threads.Worker(join(LIBS, 'some.worker.ts'), { execArgv: ['--require', 'tsx/cjs'] });
    expect(await once(worker, 'message')).toEqual([[]]);
  });
});
