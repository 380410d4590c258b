import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { DOCUMENTS } from './openapi/documents';

/** Writes the OpenAPI documents, which are made from the code; with `--check` says which differ from it, and ends with 1 where one does. */
const folder = join(__dirname, '..', 'docs', 'openapi');

const main = async (isCheck: boolean): Promise<number> => {
  const problems: string[] = [];
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of Object.entries(DOCUMENTS)) {
    const file = join(folder, name);
    const text = await prettier.format(JSON.stringify(await make()), { ...(await prettier.resolveConfig(file)), parser: 'json' });
    if (!isCheck) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== text)
      problems.push(`docs/openapi/${name} differs from the code: npm run openapi`);
  }
  const unknown = readdirSync(folder).filter((name) => name.endsWith('.json') && !Object.hasOwn(DOCUMENTS, name));
  problems.push(...unknown.map((name) => `docs/openapi/${name} is made of nothing`));
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
};

void main(process.argv.includes('--check')).then((code) => {
  process.exitCode = code;
});
