import { AsyncLocalStorage } from 'node:async_hooks';

interface Environment {
  setup(): Promise<void>;
  teardown(): Promise<void>;
}
type EnvironmentClass = new (config: object, context: object) => Environment;

const CONFIG = { globalConfig: {}, projectConfig: { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} } };
const CONTEXT = { console, docblockPragmas: {}, testPath: __filename };

const { run, enterWith } = AsyncLocalStorage.prototype;

describe('the environment of a test file', () => {
  // It wraps what all files of the process share, where it is loaded.
  afterEach(() => {
    Object.assign(AsyncLocalStorage.prototype, { run, enterWith });
    jest.resetModules();
  });

  it.each([
    ['run', (storage: AsyncLocalStorage<string>): unknown => storage.run('kept', () => storage.getStore())],
    ['entered', (storage: AsyncLocalStorage<string>): unknown => storage.enterWith('kept')],
  ])('lets go of a storage that was %s in it', async (_way, use) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- it wraps what it finds when it is loaded
    const NodeEnvironment = require('./node-environment.cjs') as EnvironmentClass;
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
