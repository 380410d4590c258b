import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const SOURCE = join('apps', 'console', 'src', 'evidence-page', 'open-page.ts');

/** Writes the script of `open.html` in evidence packs. It is inside the page, so no text of it may end the element. */
export const buildEvidencePage = async (path) => {
  await build({
    entryPoints: [SOURCE],
    outfile: path,
    tsconfig: join('apps', 'console', 'tsconfig.json'),
    bundle: true,
    format: 'iife',
    minify: true,
    charset: 'ascii',
    platform: 'browser',
    target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const script = readFileSync(path, 'utf8').trimEnd();
  if (/<\/script|<!--/i.test(script)) throw new Error(`${SOURCE} has a text that would end its script element`);
  writeFileSync(path, script);
};
