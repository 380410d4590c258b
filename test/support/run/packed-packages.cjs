const { buildSync } = require('esbuild');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..', '..');
/** Packages of one pack share their modules, as Nest's packages must. Separate packs duplicate them. */
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
/** Loaded unpacked: optional, or with state that must exist only once. */
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
 * Packs common packages into one file each, once per lock file. Each module costs about 1 ms per test file, and these have 2,500.
 * @returns entries of Jest's `moduleNameMapper`
 */
module.exports = () => {
  const texts = [readFileSync(join(ROOT, 'package-lock.json')), readFileSync(__filename)];
  const version = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 16);
  const folder = join(ROOT, 'node_modules', '.cache', `packages-${version}`);
  if (!existsSync(folder)) {
    // Another run may pack at the same time; the first one to finish wins.
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
