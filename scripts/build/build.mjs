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

/**
 * Builds every program of nest-cli.json: compiled together, as they share one settings file of the compiler, then each program is packed into one file beside its entry,
 * the files of its worker threads beside it. A start of 1,800 modules costs twice the processor time of one of a single file. Of each program the compiled code is kept too (`packed-main.cjs`),
 * which halves that again for a command of `orch`.
 * A build of the same sources, settings and packages is kept.
 */
const NEST = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const BUILT = 'dist';
/** The programs of the build itself. */
const OWN = join('scripts', 'build');
/** Read at run time from where they lie, or never installed: by Nest and pg, which do without. */
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

/** How everything is packed. */
const PACKING = {
  entryNames: '[name]',
  bundle: true,
  platform: 'node',
  target: 'node20',
  // The text of a program stays in memory; without comments a third of it is gone.
  minifyWhitespace: true,
  legalComments: 'external',
  external: UNPACKED,
  // What is packed is there, and the rest is loaded by `require` alone: compiled code that was kept knows no `import`.
  supported: { 'dynamic-import': false },
  allowOverwrite: true,
  logLevel: 'warning',
  logOverride: { 'require-resolve-not-external': 'silent' },
};

/** Our modules do nothing by being loaded, so that what a thread does not use of them need not be loaded with it. */
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
  // The threads of a program itself know much of it and use little; from its sources that little can be told apart.
  await build({ ...PACKING, entryPoints: workerFilesIn(sourceRoot, 'ts'), outdir, plugins: [withoutTheUnused] });
};

/** Of a text that was packed, line by line: the first one may be of the file that runs it, and a character beyond ASCII is written as its number. */
const asProgram = (text) =>
  text.replace(/^#!.*/, '').replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Puts the packed program beside a file of its entry's name, which runs it. */
const putBeside = ({ entryFile }) => {
  const entry = join(BUILT, `${entryFile}.js`);
  writeFileSync(join(dirname(entry), 'packed.js'), asProgram(readFileSync(entry, 'utf8')));
  copyFileSync(join(OWN, 'packed-main.cjs'), entry);
  chmodSync(entry, 0o755);
};

const WARM_UP_MS = 30_000;

/**
 * Starts a program once, so that the engine compiles what a start needs, and keeps that. A service is stopped as soon as it says that it has started, a
 * command ends by itself. Without what is kept a program starts as well, and slower.
 */
const keepCompiled = async (name, { entryFile }) => {
  const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  // Nothing of the caller's: a program that is built must not meet the stores that its environment names.
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

/** What a build is made of, beside the packages, which the lock file names: an image has to copy each of them. A folder counts with all of its files. */
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
  Object.values(projects).every(({ entryFile }) => existsSync(join(BUILT, `${entryFile}.js`)));

if (!isCurrent) {
  // What a former build left of files that have moved since would be packed beside those in their new places.
  rmSync(BUILT, { recursive: true, force: true });
  const bySettings = new Map(Object.entries(projects).map(([project, { compilerOptions }]) => [compilerOptions.tsConfigPath, project]));
  await Promise.all([...bySettings.values()].map(compile));
  await Promise.all(Object.values(projects).map(pack));
  for (const project of Object.values(projects)) putBeside(project);
}

/** What `/docs` shows, beside the programs: the documents, and of Swagger UI what their page loads. */
const UI = join('node_modules', 'swagger-ui-dist');
mkdirSync(join(BUILT, 'docs', 'swagger-ui'), { recursive: true });
cpSync(join('docs', 'openapi'), join(BUILT, 'docs', 'openapi'), { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  copyFileSync(join(UI, file), join(BUILT, 'docs', 'swagger-ui', file));

/** The program that goes along with every evidence pack. */
mkdirSync(join(BUILT, 'evidence'), { recursive: true });
copyFileSync(join('libs', 'investigation', 'evidence', 'verify.py'), join(BUILT, 'evidence', 'verify.py'));

/** Where the source has no history, as in an image, the revision is given. */
const revision = process.env.REVISION || spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(join(BUILT, 'build.json'), `${JSON.stringify({ version, revision })}\n`);

if (!isCurrent) await Promise.all(Object.entries(projects).map(([name, project]) => keepCompiled(name, project)));
writeFileSync(BUILT_FROM, digest);
