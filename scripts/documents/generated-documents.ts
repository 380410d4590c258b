import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { errorCatalogueMarkdown } from '@app/gateway-protocol';
import { MERCHANT_SERVER_EVENT_CODECS } from '@app/merchant-server';
import { EVENT_CODECS } from '@app/read-models/queries';
import { withGeneratedParts } from './api-page';
import { citationFaults, NORM_FILES } from './citations';
import { eventCatalogueMarkdown } from './event-catalogue';
import { glossaryFaults } from './glossary-order';
import { linkedPages } from './linked-pages';
import { namedPaths } from './named-paths';
import { proseFaults } from './prose';

/**
 * Generates documents and parts of documents from the code; `--check` only reports differences.
 * Also reports missing paths and pages in documents, dangling citations, and prose with too many idioms. Exits with 1 if there is anything to report.
 */
const root = join(__dirname, '..', '..');
const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');

const API_PAGES = readdirSync(join(root, 'docs', 'api'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/api/${name}`);

const GENERATED: Readonly<Record<string, () => string>> = {
  'docs/event-catalogue.md': () =>
    eventCatalogueMarkdown(
      EVENT_CODECS.flatMap((codec) => codec.describe()),
      MERCHANT_SERVER_EVENT_CODECS.flatMap((codec) => codec.describe()),
    ),
  'docs/errors.md': () =>
    [
      '# Error codes',
      '',
      'What a refused request and an order that was not approved carry in `error-code` and `error-message` (protocol decisions, section 4). Made from the code by `npm run docs:events`.',
      '',
      errorCatalogueMarkdown(),
    ].join('\n'),
  ...Object.fromEntries(API_PAGES.map((file) => [file, () => withGeneratedParts(read(file))])),
};
/** For who runs the service. */
const OPERATORS = ['docs/run.md', 'docs/watch.md', 'docs/recover.md'];
const NAMING = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/anatomy.md',
  'docs/architecture.md',
  'docs/device-client.md',
  'docs/glossary.md',
  'docs/merchant-server.md',
  ...OPERATORS,
  'docs/api/README.md',
];
/** Each of their folders needs a row in the architecture document's table. */
const LISTED_FOLDERS = ['apps', 'libs', 'test'];
const LINKING = [
  ...API_PAGES,
  ...OPERATORS,
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/console.md',
  ...readdirSync(join(root, 'docs', 'adr')).map((name) => `docs/adr/${name}`),
];

const formatted = async (file: string, text: string): Promise<string> =>
  prettier.format(text, { ...(await prettier.resolveConfig(join(root, file))), parser: 'markdown' });

const main = async (isCheck: boolean): Promise<number> => {
  const problems: string[] = [];
  for (const [file, make] of Object.entries(GENERATED)) {
    const text = await formatted(file, make());
    if (!isCheck) writeFileSync(join(root, file), text);
    else if (text !== read(file)) problems.push(`${file} differs from the code: npm run docs:events`);
  }
  for (const file of NAMING) {
    const paths = namedPaths(read(file));
    if (paths.length === 0) problems.push(`${file} names no path: it is missing, or the check is blind`);
    problems.push(...paths.filter((path) => !existsSync(join(root, path))).map((path) => `${file} names ${path}, which does not exist`));
  }
  const folders = LISTED_FOLDERS.flatMap((top) =>
    readdirSync(join(root, top), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`${top}/${entry.name}`] : [])),
  );
  const architecture = read('docs/architecture.md');
  problems.push(
    ...folders
      .filter((folder) => !architecture.includes(`\`${folder}\``))
      .map((folder) => `docs/architecture.md does not say what ${folder} holds`),
  );
  for (const file of LINKING) {
    const missing = linkedPages(file, read(file)).filter((page) => !existsSync(join(root, page)));
    problems.push(...missing.map((page) => `${file} links to ${page}, which does not exist`));
  }
  problems.push(...citationFaults(root), ...proseFaults(root));
  for (const file of new Set(Object.values(NORM_FILES))) {
    const missing = [...namedPaths(read(file)), ...linkedPages(file, read(file))].filter((path) => !existsSync(join(root, path)));
    problems.push(...missing.map((path) => `${file} names ${path}, which does not exist`));
  }
  problems.push(...glossaryFaults(read('docs/glossary.md')).map((fault) => `docs/glossary.md: ${fault}`));
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(isCheck ? 'the documents fit the code' : `written: ${Object.keys(GENERATED).length} documents`);
  return problems.length === 0 ? 0 : 1;
};

void main(process.argv.includes('--check')).then((code) => {
  process.exitCode = code;
});
