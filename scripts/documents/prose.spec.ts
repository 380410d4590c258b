import { idiomFaults } from './prose';

const PLAIN = 'The projector retries the batch after a failure. '.repeat(20);
const CODE = `/** ${PLAIN} */\nit('retries the batch', () => undefined);\n`;
const faults = (changed: Readonly<Record<string, string>>): readonly string[] =>
  idiomFaults(Object.entries({ 'docs/a.md': PLAIN, 'a.spec.ts': CODE, ...changed }));

describe('the idioms of prose', () => {
  it('are no fault in plain comments, titles and documents', () => {
    expect(faults({})).toStrictEqual([]);
  });

  it.each([
    ['documents', { 'docs/a.md': `${PLAIN} It tells the gate.` }],
    ['comments', { 'a.ts': '// It tells the gate.' }],
    ['comments', { 'a.ts': '/**\n * It tells\n * the gate.\n */' }],
    ['titles', { 'b.spec.ts': "describe('a gate', () => { it.each([1])('tells %s', () => undefined); });" }],
  ])('above the limit in %s are a fault with the file and the plain word', (kind, changed) => {
    const [summary, worst] = faults(changed);
    expect(summary).toMatch(new RegExp(`^${kind} have \\d+\\.\\d idioms per 1,000 words`));
    expect(worst).toContain(`${Object.keys(changed)[0]}: 1, for example "tells" (say "returns"`);
  });

  it('are not counted in code, in code blocks or in a link', () => {
    expect(
      faults({ 'docs/a.md': `${PLAIN} \`tells\` [page](tells.md)\n\n\`\`\`\ntells\n\`\`\`\n`, 'a.ts': "const tells = 'told'; // Plain." }),
    ).toStrictEqual([]);
  });

  it.each(['comments', 'titles', 'documents'])('report that no %s were found', (kind) => {
    expect(idiomFaults([])).toContain(`no ${kind} found: the check is blind`);
  });
});
