const { buildSync } = require('esbuild');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..', '..');
/** What one pack holds shares its modules: Nest's packages reach into one another. Of two packs each has its own. */
const PACKS = {
  nest: [
    '@nestjs/common',
    '@nestjs/common/constants',
    '@nestjs/core',
    '@nestjs/core/helpers/execution-context-host',
    '@nestjs/platform-express',
    '@nestjs/testing',
  ],
  rxjs: ['rxjs'],
  'class-validator': ['class-validator'],
  zod: ['zod'],
  yaml: ['yaml'],
  kysely: ['kysely'],
  pg: ['pg'],
  undici: ['undici'],
  express: ['express'],
  'prom-client': ['prom-client'],
  'fast-check': ['fast-check'],
};
const NAMES = Object.values(PACKS).flat();
/** Loaded where they lie: optional, or with state of their own that must be there once. */
const UNPACKED = [
  'reflect-metadata',
  'class-transformer',
  'class-transformer/*',
  'pg-native',
  '@nestjs/websockets',
  '@nestjs/microservices',
  '@nestjs/websockets/*',
  '@nestjs/microservices/*',
];

const fileOf = (name) => `${name.replaceAll('/', '-')}.cjs`;

const pack = (folder, [pack, names]) => {
  const text = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(name)})`).join(',\n');
  buildSync({
    stdin: { contents: `module.exports = {\n${text}\n};`, resolveDir: ROOT },
    outfile: join(folder, `${pack}.pack.cjs`),
    bundle: true,
    platform: 'node',
    target: 'node20',
    keepNames: true,
    // A test file's modules are loaded by `require` alone.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'packedUrl' },
    banner: { js: "const packedUrl = require('node:url').pathToFileURL(__filename).href;" },
    external: [...UNPACKED, ...NAMES.filter((name) => !names.includes(name))],
    logLevel: 'error',
  });
  for (const name of names)
    writeFileSync(join(folder, fileOf(name)), `module.exports = require('./${pack}.pack.cjs')[${JSON.stringify(name)}]();\n`);
};

/**
 * Packs the packages that most test files load into a file each, once for a lock file: a module costs the test runner about a millisecond in every test
 * file that loads it, and these have 2,500.
 * @returns entries of Jest's `moduleNameMapper`
 */
module.exports = () => {
  const texts = [readFileSync(join(ROOT, 'package-lock.json')), readFileSync(__filename)];
  const version = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 16);
  const folder = join(ROOT, 'node_modules', '.cache', `packages-${version}`);
  if (!existsSync(folder)) {
    // Another run may pack at the same time: the first one to be done is taken.
    const own = `${folder}-${process.pid}`;
    mkdirSync(own, { recursive: true });
    for (const entry of Object.entries(PACKS)) pack(own, entry);
    try {
      renameSync(own, folder);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return Object.fromEntries(NAMES.map((name) => [`^${name}$`, join(folder, fileOf(name))]));
};
