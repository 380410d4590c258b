import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import * as prettier from 'prettier';
import { DOCUMENTS } from './openapi/documents';

/** Writes the OpenAPI documents, which are made from the code; with `--check` says which differ from it, and ends with 1 where one does. */
const folder = join(__dirname, '..', 'docs', 'openapi');
/** The console's client is typed from it, so that a change of the port which the console misses does not compile. */
const TYPED = 'operator';

const main = async (isCheck: boolean): Promise<number> => {
  const problems: string[] = [];
  mkdirSync(folder, { recursive: true });
  const put = async (name: string, parser: 'json' | 'typescript', made: string): Promise<void> => {
    const file = join(folder, name);
    const text = await prettier.format(made, { ...(await prettier.resolveConfig(file)), parser });
    if (!isCheck) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== text)
      problems.push(`docs/openapi/${name} differs from the code: npm run openapi`);
  };
  for (const [name, make] of Object.entries(DOCUMENTS)) {
    const text = JSON.stringify(await make());
    await put(name, 'json', text);
    if (name === `${TYPED}.json`)
      await put(`${TYPED}.d.ts`, 'typescript', astToString(await openapiTS(JSON.parse(text) as OpenAPI3, { alphabetize: false })));
  }
  const unknown = readdirSync(folder).filter((name) => !Object.hasOwn(DOCUMENTS, name) && name !== `${TYPED}.d.ts`);
  problems.push(...unknown.map((name) => `docs/openapi/${name} is made of nothing`));
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
};

void main(process.argv.includes('--check')).then((code) => {
  process.exitCode = code;
});
