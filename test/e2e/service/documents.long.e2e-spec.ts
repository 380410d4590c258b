import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { OPERATION_NAMES } from '@app/configuration';
import { comparable, shellBlocks, type ShellBlock } from '../../support/documents/document-blocks';
import { freePort } from '../../support/processes/free-port';
import { startOrch, type OrchRun } from '../../support/processes/orch';
import { runInOneShell, type BlockRun } from '../../support/documents/shell-page';
import { until } from '../../support/until';

const FOLDER = resolve(__dirname, '..', '..', '..', 'docs', 'api');
const INDEX = 'README.md';
const START_TIMEOUT_MS = 120_000;
const PAGE_TIMEOUT_MS = 100_000;

const pageFiles = [...readdirSync(FOLDER).filter((name) => name.endsWith('.md')), '../device-client.md'];
const pages = pageFiles.map((name) => {
  const markdown = readFileSync(join(FOLDER, name), 'utf8');
  return { name, markdown, blocks: shellBlocks(name, markdown) };
});
const indexText = pages.find(({ name }) => name === INDEX)?.markdown ?? '';

/** `WRITE_GOLDEN=documents` replaces outputs that differ. */
const writeShown = (page: string, { language, text }: NonNullable<ShellBlock['shown']>, output: string): void => {
  if (isDeepStrictEqual(comparable(language, output), comparable(language, text))) return;
  const printed = language === 'json' ? JSON.stringify(JSON.parse(output), null, 2) : output;
  const file = join(FOLDER, page);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(text, () => printed),
  );
};

class RunningSandbox {
  readonly #run: OrchRun;
  readonly #folder = mkdtempSync(join(tmpdir(), 'documents-'));
  #out = '';

  constructor(ports: Readonly<Record<string, string>>) {
    this.#run = startOrch(['--json', 'sandbox'], { ...ports, DATA_DIR: this.#folder });
    this.#run.child.stdout?.on('data', (text: string) => (this.#out += text));
  }

  async ready(): Promise<void> {
    const isUp = until(() => this.#out.includes('"kind":"command"'), {
      what: 'the end of the tour',
      timeoutMs: START_TIMEOUT_MS,
      seen: () => this.#out.slice(-2_000),
    });
    const gone = this.#run.ended.then(({ code, problems }) => {
      throw new Error(`the sandbox ended with ${code}: ${problems}`);
    });
    await Promise.race([isUp, gone]);
  }

  async stop(): Promise<number | null> {
    this.#run.child.kill('SIGTERM');
    const { code } = await this.#run.ended;
    rmSync(this.#folder, { recursive: true });
    return code;
  }
}

let sandbox: RunningSandbox;
let ports: Readonly<Record<string, string>>;

beforeAll(async () => {
  const free = [await freePort(), await freePort(), await freePort(), await freePort()].map(String);
  ports = { PORT: free[0] ?? '', OPERATOR_PORT: free[1] ?? '', CALLBACK_PORT: free[2] ?? '', MERCHANT_PORT: free[3] ?? '' };
  sandbox = new RunningSandbox(ports);
  await sandbox.ready();
}, START_TIMEOUT_MS);

afterAll(async () => {
  expect(await sandbox.stop()).toBe(0);
}, START_TIMEOUT_MS);

describe.each(pages)('docs/api/$name', ({ name, blocks, markdown }) => {
  let runs: readonly BlockRun[] = [];
  beforeAll(async () => {
    runs = await runInOneShell(
      blocks.map(({ commands }) => commands),
      ports,
    );
  }, PAGE_TIMEOUT_MS);

  it('contains shell blocks, each of which is run', () => {
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks).toHaveLength(markdown.split('```sh').length - 1);
  });

  it('is linked from the index', () => {
    expect(name === INDEX || indexText.includes(`(${name})`)).toBe(true);
  });

  it.each(blocks.map((block, index) => ({ ...block, index })))('line $line prints the documented output', ({ index, shown }) => {
    const run = runs[index];
    expect(run).toMatchObject({ kind: 'succeeded' });
    const output = run?.kind === 'succeeded' ? run.output : '';
    if (shown === undefined) expect(output).toBe('');
    else if (process.env['WRITE_GOLDEN'] === 'documents') writeShown(name, shown, output);
    else expect(comparable(shown.language, output)).toStrictEqual(comparable(shown.language, shown.text));
  });
});

it('every Group A operation has a page', () => {
  const ofGroupB: readonly string[] = ['verification', 'transfer'];
  const wanted = OPERATION_NAMES.filter((name) => !ofGroupB.includes(name)).map((name) => `${name}.md`);
  expect(pageFiles).toEqual(expect.arrayContaining([...wanted, 'create-card-ref-v4.md', 'status-v4.md', 'callback.md', 'receipt.md']));
});
