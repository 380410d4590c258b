import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { citationFaults, citationsIn, idsOf, NORM_FILES, readNorms, type Norm } from './citations';

const ROOT = join(__dirname, '..', '..');
const norms = readNorms((file) => readFileSync(join(ROOT, file), 'utf8'));
const idsIn = (text: string): readonly string[] => citationsIn(text).citations.map(({ norm, id }) => `${norm} ${id}`);

describe('the ids of a document', () => {
  it("are its headings' numbers and titles and the ids at the start of table rows", () => {
    const markdown =
      '# Title\n\n## Rule 9: projections\n### 2.4 Payment\n## D8 Group B\n\n| Id | What |\n| --- | --- |\n| T43 | x |\n| 3 | y |\n| D8.1 | z |\n| a word | z |\n';
    const titles = ['Title', 'Rule 9: projections', '2.4 Payment', 'D8 Group B'];
    expect([...idsOf(markdown)].sort()).toStrictEqual([...titles, 'rule 9', '2.4', 'D8', 'T43', 'point 3', 'D8.1'].sort());
  });

  it.each<[Norm, number]>([
    ['interface', 25],
    ['safety', 120],
    ['architecture', 18],
    ['EventStoreDB notes', 15],
  ])('of %s number more than %i', (norm, count) => {
    expect(norms[norm].size).toBeGreaterThan(count);
  });
});

describe('a citation', () => {
  it.each<[string, readonly string[]]>([
    ['(interface, section 2.4)', ['interface 2.4']],
    ['Interface, sections 4.2, 4.5 and 4.7.', ['interface 4.2', 'interface 4.5', 'interface 4.7']],
    ['interface 2.4: request', ['interface 2.4']],
    ['(protocol decisions, sections 6 and 8)', ['protocol decisions D6', 'protocol decisions D8']],
    ['(decisions, section 7; safety, T35)', ['protocol decisions D7', 'safety T35']],
    ['protocol decisions 10: sale', ['protocol decisions D10']],
    ['(protocol decisions, D8.18)', ['protocol decisions D8.18']],
    ['(safety, F17 to F20)', ['safety F17', 'safety F20']],
    ['(safety, B8 and section 2.2; 2 times a point)', ['safety B8', 'safety 2.2']],
    ['(architecture, rules 9, 10 and 15)', ['architecture rule 9', 'architecture rule 10', 'architecture rule 15']],
    ['(architecture, "Stores")', ['architecture Stores']],
    [' * (architecture, "The ports,\n * once"; safety, T2)', ['architecture The ports, once', 'safety T2']],
    ['with a CVV: ended as 121 (rule 5)', ['architecture rule 5']],
    [
      '(EventStoreDB notes, section 1, points 2 and 3)',
      ['EventStoreDB notes 1', 'EventStoreDB notes point 2', 'EventStoreDB notes point 3'],
    ],
    [
      '/** Held over all processes (safety,\n * T35) and in\n * protocol decisions,\n * section 8. */',
      ['safety T35', 'protocol decisions D8'],
    ],
    ["section: '4.4',\nit(`interface, section ${section}: is taken`)", ['interface 4.4']],
    ["section: 'decisions 8',\nit(`interface, section ${section}: is taken`)", ['protocol decisions D8']],
    ['export interface Row3 {} // 12 decisions a second, by the interface "Row3"', []],
    ['(RFC 5849, section 3.4.1)', []],
  ])('is extracted from %j', (text, ids) => {
    expect(citationsIn(text)).toMatchObject({ faults: [] });
    expect(idsIn(text)).toStrictEqual(ids);
  });

  it('has the line number of its id', () => {
    expect(citationsIn('/**\n * Kept once (architecture,\n * rule 3).\n */').citations).toMatchObject([{ id: 'rule 3', line: 3 }]);
  });

  it.each([
    '(interface, section 2.40)',
    '(protocol decisions, section 99)',
    '(protocol decisions, D4.99)',
    '(safety, T99)',
    '(safety, section 9.9)',
    '(safety, T43 and T99)',
    '(architecture, rule 16)',
    '(architecture, "No such title")',
    'as it must (rule 16).',
    '(EventStoreDB notes, section 1, point 99)',
  ])('does not resolve if the cited id does not exist: %s', (text) => {
    const { citations } = citationsIn(text);
    expect(citations.filter(({ norm, id }) => !norms[norm].has(id))).not.toStrictEqual([]);
  });

  it.each([
    '(style, rule 10)',
    '(safety, I1b and ARCH 12)',
    'PD 4',
    'see §2.4',
    '(safety, chapter three)',
    '(architecture, configuration)',
    '(interface, section two)',
    'it(`interface, section ${section}: is taken`)',
  ])('is reported as a fault if it cannot be parsed: %s', (text) => {
    expect(citationsIn(text).faults).toHaveLength(1);
  });
});

describe('a repository', () => {
  let root: string;
  const write = (file: string, text: string): void => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'citations-'));
    for (const folder of ['apps', 'libs', 'test', 'scripts', 'docs', 'config', 'deploy'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of new Set(Object.values(NORM_FILES))) write(file, readFileSync(join(ROOT, file), 'utf8'));
    write(
      'README.md',
      '(interface, section 2.4; protocol decisions, section 4; safety, T43; architecture, rule 9; EventStoreDB notes, section 1)',
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('has no fault if every citation resolves', () => {
    expect(citationFaults(root)).toStrictEqual([]);
  });

  it.each([
    ['apps/a/b.ts', '\n// Refused (safety, T99).', 'apps/a/b.ts:2 cites "safety, T99": docs/safety.md has no "T99"'],
    ['scripts/a.mjs', '// (architecture, rule 16)', 'scripts/a.mjs:1 cites "architecture, rule 16": docs/rules.md has no "rule 16"'],
    ['docs/adr/1.md', 'As PD 4 has it.', 'docs/adr/1.md:1 cites "PD 4", which names nothing in docs/'],
    ['docs/wire-rows.md', '## Interface 2.99: No', 'docs/wire-rows.md:1 cites "Interface 2.99": docs/protocol.md has no "2.99"'],
  ])('has a fault for an invalid citation in %s', (file, text, fault) => {
    write(file, text);
    expect(citationFaults(root)).toStrictEqual([fault]);
  });

  it('has a fault if no file cites one of the documents', () => {
    write('README.md', '');
    expect(citationFaults(root)).toContain('nothing cites "EventStoreDB notes": the check is blind');
  });
});

it('resolves every citation of this repository', () => {
  expect(Object.keys(NORM_FILES)).toHaveLength(5);
  expect(citationFaults(ROOT)).toStrictEqual([]);
});
