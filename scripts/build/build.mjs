import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { buildEvidencePage } from './evidence-page.mjs';

/** Builds each program of nest-cli.json into one file, because loading 1,800 modules doubles the start time. Reuses an unchanged build. */
const NEST = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const BUILT = 'dist';
const CONSOLE = join(BUILT, 'apps', 'console');
const OWN = join('scripts', 'build');
/** Read at run time from their folders, or optional dependencies that are never installed. */
const UNPACKED = ['@photostructure/sqlite', '@nestjs/websockets', '@nestjs/microservices', 'class-transformer', 'pg-native', 'tsx'];

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8'));

const compile = (project) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [NEST, 'build', project], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`nest build ${project} ended with ${code}`))));
  });

const workerFilesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(`.worker.${ending}`))
    .map((name) => join(folder, name));

const PACKING = {
  entryNames: '[name]',
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  legalComments: 'external',
  external: UNPACKED,
  // Stored compiled code cannot use `import`, so everything not packed is loaded with `require`.
  supported: { 'dynamic-import': false },
  allowOverwrite: true,
  logLevel: 'warning',
  logOverride: { 'require-resolve-not-external': 'silent' },
};

/** Our modules have no side effects, so a thread need not load parts that it does not use. */
const withoutTheUnused = {
  name: 'without the unused',
  setup: (packing) =>
    packing.onResolve({ filter: /^(@app\/|\.)/ }, async ({ path, pluginData, importer, ...given }) => {
      if (pluginData === withoutTheUnused || given.kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      return { ...(await packing.resolve(path, { ...given, importer, pluginData: withoutTheUnused })), sideEffects: false };
    }),
};

const pack = async ({ entryFile, sourceRoot }) => {
  const entry = join(BUILT, `${entryFile}.js`);
  const outdir = dirname(entry);
  await build({ ...PACKING, entryPoints: [entry, ...workerFilesIn(join(BUILT, 'libs'), 'js')], outdir });
  // From sources, because unused parts of packed programs cannot be removed.
  await build({ ...PACKING, entryPoints: workerFilesIn(sourceRoot, 'ts'), outdir, plugins: [withoutTheUnused] });
};

/** The first line may be a shebang, and characters beyond ASCII are escaped. */
const asProgram = (text) =>
  text.replace(/^#!.*/, '').replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const putBeside = ({ entryFile }) => {
  const entry = join(BUILT, `${entryFile}.js`);
  writeFileSync(join(dirname(entry), 'packed.js'), asProgram(readFileSync(entry, 'utf8')));
  copyFileSync(join(OWN, 'packed-main.cjs'), entry);
  chmodSync(entry, 0o755);
};

const WARM_UP_MS = 30_000;

/** Runs a start once and stores V8's compiled code, which halves the time of an `orch` command. */
const keepCompiled = async (name, { entryFile }) => {
  const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  // Excludes the caller's environment, whose stores the program must not open.
  const environment = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', OPERATOR_PORT: '0', MERCHANT_PORT: '0' };
  const child = spawn(process.execPath, [join(OWN, 'keep-compiled.cjs'), join(BUILT, dirname(entryFile)), '--help'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WARM_UP_MS,
  });
  let said = '';
  let isStopped = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
      if (!isStopped && said.includes('"event":"started"')) isStopped = child.kill('SIGTERM');
    });
  await once(child, 'close');
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(join(BUILT, dirname(entryFile), 'packed.cache'))) console.warn(`${name}: nothing compiled was kept\n${said}`);
};

/** All inputs of a build except packages, which the lock file lists. An image must copy each of them. */
const SOURCES = JSON.parse(readFileSync(join(OWN, 'sources.json'), 'utf8'));
const BUILT_FROM = join(BUILT, 'built-from');

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const digestOfSources = () => {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...SOURCES.files, ...SOURCES.folders.flatMap(filesOf)]) hash.update(`\0${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

const digest = digestOfSources();
const isCurrent =
  existsSync(BUILT_FROM) &&
  readFileSync(BUILT_FROM, 'utf8') === digest &&
  existsSync(join(CONSOLE, 'index.html')) &&
  Object.values(projects).every(({ entryFile }) => existsSync(join(BUILT, `${entryFile}.js`)));

if (!isCurrent) {
  // Otherwise old files would be packed too.
  rmSync(BUILT, { recursive: true, force: true });
  const bySettings = new Map(Object.entries(projects).map(([project, { compilerOptions }]) => [compilerOptions.tsConfigPath, project]));
  await Promise.all([...[...bySettings.values()].map(compile), buildConsole(CONSOLE)]);
  await Promise.all(Object.values(projects).map(pack));
  for (const project of Object.values(projects)) putBeside(project);
}

const UI = join('node_modules', 'swagger-ui-dist');
mkdirSync(join(BUILT, 'docs', 'swagger-ui'), { recursive: true });
cpSync(join('docs', 'openapi'), join(BUILT, 'docs', 'openapi'), { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  copyFileSync(join(UI, file), join(BUILT, 'docs', 'swagger-ui', file));

mkdirSync(join(BUILT, 'evidence'), { recursive: true });
copyFileSync(join('libs', 'investigation', 'evidence', 'verify.py'), join(BUILT, 'evidence', 'verify.py'));
await buildEvidencePage(join(BUILT, 'evidence', 'open.js'));

/** Images have no git history, so the revision is passed in. */
const revision = process.env.REVISION || spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(join(BUILT, 'build.json'), `${JSON.stringify({ version, revision })}\n`);

if (!isCurrent) await Promise.all(Object.entries(projects).map(([name, project]) => keepCompiled(name, project)));
writeFileSync(BUILT_FROM, digest);
