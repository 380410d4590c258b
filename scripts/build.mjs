import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Builds every program of nest-cli.json: compiled together, as they share one settings file of the compiler, then each program is packed into one file in the place of its entry,
 * the files of its worker threads beside it. A start of 1,800 modules costs twice the processor time of one of a single file.
 * A build of the same sources, settings and packages is kept.
 */
const NEST = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const BUILT = 'dist';
/** Read at run time from where they lie, or never installed: by Nest and pg, which do without. */
const UNPACKED = ['@photostructure/sqlite', '@nestjs/websockets', '@nestjs/microservices', 'class-transformer', 'pg-native', 'tsx'];

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8'));

const compile = (project) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [NEST, 'build', project], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`nest build ${project} ended with ${code}`))));
  });

const workerFiles = () =>
  readdirSync(join(BUILT, 'libs'), { recursive: true })
    .filter((name) => name.endsWith('.worker.js'))
    .map((name) => join(BUILT, 'libs', name));

const pack = async ({ entryFile }) => {
  const entry = join(BUILT, `${entryFile}.js`);
  await build({
    entryPoints: [entry, ...workerFiles()],
    outdir: dirname(entry),
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    // The text of a program stays in memory; without comments a third of it is gone.
    minifyWhitespace: true,
    legalComments: 'external',
    sourcemap: true,
    external: UNPACKED,
    allowOverwrite: true,
    logLevel: 'warning',
    logOverride: { 'require-resolve-not-external': 'silent' },
  });
};

/** What a build is made of, beside the packages, which the lock file names. */
const FOLDERS = ['apps', 'libs', join('docs', 'openapi')];
const FILES = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', join('scripts', 'build.mjs')];
const BUILT_FROM = join(BUILT, 'built-from');

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const digestOfSources = () => {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...FILES, ...FOLDERS.flatMap(filesOf)]) hash.update(`\0${file}\0`).update(readFileSync(file));
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
}

/** What `/docs` shows, beside the programs: the documents, and of Swagger UI what their page loads. */
const UI = join('node_modules', 'swagger-ui-dist');
mkdirSync(join(BUILT, 'docs', 'swagger-ui'), { recursive: true });
cpSync(join('docs', 'openapi'), join(BUILT, 'docs', 'openapi'), { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  copyFileSync(join(UI, file), join(BUILT, 'docs', 'swagger-ui', file));

/** The program that goes along with every evidence pack. */
mkdirSync(join(BUILT, 'evidence'), { recursive: true });
copyFileSync(join('libs', 'audit', 'evidence', 'verify.py'), join(BUILT, 'evidence', 'verify.py'));

/** Where the source has no history, as in an image, the revision is given. */
const revision = process.env.REVISION || spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(join(BUILT, 'build.json'), `${JSON.stringify({ version, revision })}\n`);
writeFileSync(BUILT_FROM, digest);
