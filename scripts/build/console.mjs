import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const SOURCE = join('apps', 'console');
/** By the names that index.html loads them with. */
const ENTRIES = { 'main.js': 'apps/console/src/main.tsx', 'main.css': 'apps/console/src/styles/main.css' };
/** The operator port serves the files below this address. */
const SERVED_AT = '/console/assets/';
/** Fonts and pictures are compressed already. */
const COMPRESSIBLE = /\.(js|css|svg|html)$/;

const compressions = [
  ['.br', (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })],
  ['.gz', (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })],
];

const compressBeside = async (path) => {
  const bytes = readFileSync(path);
  await Promise.all(compressions.map(async ([ending, compress]) => writeFileSync(path + ending, await compress(bytes))));
};

/** The page with the hashed names. The browser loads what the script imports at the same time as the script. */
const pageOf = (outputs) => {
  const addressOf = (path) => SERVED_AT + path.split(/[\\/]/).at(-1);
  const packedFrom = (entry) => Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  let page = readFileSync(join(SOURCE, 'index.html'), 'utf8');
  for (const [name, entry] of Object.entries(ENTRIES)) {
    if (!page.includes(`"${name}"`)) throw new Error(`apps/console/index.html does not load ${name}`);
    page = page.replace(`"${name}"`, `"${addressOf(packedFrom(entry)[0])}"`);
  }
  for (const [path, { cssBundle }] of Object.entries(outputs))
    if (cssBundle !== undefined) throw new Error(`${path} imports a style sheet, which no page loads: import it in styles/main.css`);
  const imported = new Set();
  const follow = (output) => {
    for (const { kind, path } of outputs[output].imports)
      if (kind === 'import-statement' && !imported.has(path)) {
        imported.add(path);
        follow(path);
      }
  };
  follow(packedFrom(ENTRIES['main.js'])[0]);
  const preloads = [...imported].map((path) => `  <link rel="modulepreload" href="${addressOf(path)}" />\n  `);
  return page.replace('</head>', `${preloads.join('')}</head>`);
};

/** Packs the console for browsers, each file also compressed (ADR 52). */
export const buildConsole = async (folder) => {
  const assets = join(folder, 'assets');
  const { metafile } = await build({
    absWorkingDir: resolve('.'),
    entryPoints: Object.values(ENTRIES),
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: SERVED_AT,
    tsconfig: join(SOURCE, 'tsconfig.json'),
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    platform: 'browser',
    target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'file', '.png': 'file', '.woff2': 'file' },
    legalComments: 'external',
    metafile: true,
    logLevel: 'warning',
  });
  writeFileSync(join(folder, 'index.html'), pageOf(metafile.outputs));
  const files = [join(folder, 'index.html'), ...readdirSync(assets).map((name) => join(assets, name))];
  await Promise.all(files.filter((file) => COMPRESSIBLE.test(file)).map(compressBeside));
};
