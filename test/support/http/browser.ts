import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const run = promisify(execFile);
const BUILT = dirname(require.resolve('@sparticuz/chromium'));
const PACKAGE = resolve(BUILT, '../..');
const CACHE = resolve(__dirname, '../../../node_modules/.cache');
const UNPACKED = join(
  CACHE,
  `chromium-${(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version}`,
);
const UNPACK_TIMEOUT_MS = 120_000;
/** Chromium as root has no sandbox, and no test needs rendering. */
const ARGUMENTS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];
/** The machine's own browser, for platforms that the package does not support. */
const OWN = process.env['TEST_BROWSER'] ?? '';

export const HAS_BROWSER = OWN !== '' || (process.platform === 'linux' && process.arch === 'x64');
export const WITHOUT_BROWSER =
  'NOT TESTED: no page was shown in a real browser. The package of the browser is for Linux on x64 alone: name a Chromium of this machine in TEST_BROWSER.';

const failed = (what: string, error: unknown): Error =>
  new Error(`THE BROWSER ${what}, so no page for a payer was tested. TEST_BROWSER names another Chromium.`, { cause: error });

/** A separate process unpacks it, because the package unpacks into TMPDIR. This happens once per checkout, completely or not at all. */
const unpacked = async (): Promise<string> => {
  if (existsSync(UNPACKED)) return UNPACKED;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${UNPACKED}-`);
  const archives = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((name) => join(PACKAGE, 'bin', name));
  const program = `const { inflate } = require(${JSON.stringify(join(BUILT, 'lambdafs.cjs'))}); Promise.all(${JSON.stringify(archives)}.map((path) => inflate(path)));`;
  try {
    await run(process.execPath, ['-e', program], {
      cwd: resolve(__dirname, '../../..'),
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder },
      timeout: UNPACK_TIMEOUT_MS,
    });
    if (!existsSync(UNPACKED)) renameSync(folder, UNPACKED);
  } catch (error) {
    if (!existsSync(UNPACKED)) throw failed('COULD NOT BE UNPACKED', error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return UNPACKED;
};

export const openBrowser = async (): Promise<Browser> => {
  const folder = OWN === '' ? await unpacked() : undefined;
  const executablePath = folder === undefined ? OWN : join(folder, 'chromium');
  const launch = (env: Readonly<Record<string, string>>): Promise<Browser> =>
    chromium.launch({ executablePath, args: ARGUMENTS, env: { PATH: process.env['PATH'] ?? '', ...env } });
  try {
    return await launch({});
  } catch (error) {
    if (folder === undefined) throw failed('DID NOT START', error);
    const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') };
    return launch(libraries).catch((second: unknown) => Promise.reject(failed('DID NOT START', second)));
  }
};
