import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = join('test', 'rows');
const BETWEEN_SPEC_AND_TITLE = ' › ';

/** Every literal of a spec file, for titles stand in calls, in tables of cases and in names of tables; a comment is no title. */
const literalsOf = (file) => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const literals = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    else if (ts.isTemplateExpression(node)) literals.push(node.getText(source).slice(1, -1));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
};

/**
 * What is wrong with the tables of `test/rows`, which say of every row of the interface and of the protocol decisions which test proves it: a row
 * without a test, and a test that no Jest project runs or that is not there any more. Rows of what is not built yet stand under `left`, with the reason.
 * @param isRun whether a Jest project runs this spec file
 */
export const rowFaults = (isRun) => {
  const literals = new Map();
  const holdsTitle = (spec, title) => {
    if (!literals.has(spec)) literals.set(spec, literalsOf(spec));
    return literals.get(spec).some((literal) => literal.includes(title));
  };
  const faultOf = (proof) => {
    const cut = proof.indexOf(BETWEEN_SPEC_AND_TITLE);
    const [spec, title] = [proof.slice(0, cut), proof.slice(cut + BETWEEN_SPEC_AND_TITLE.length)];
    if (cut < 1 || title === '') return 'is no spec file and title';
    if (!isRun(spec)) return 'is in no spec file that a project runs';
    return holdsTitle(spec, title) ? undefined : 'is no title there';
  };
  const faults = [];
  let count = 0;
  for (const file of readdirSync(FOLDER)) {
    const { rows, left } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
    for (const [section, ofSection] of Object.entries(rows)) {
      for (const [row, proofs] of Object.entries(ofSection)) {
        count++;
        if (proofs.length === 0) faults.push(`${file}, ${section}: no test of "${row}"`);
        for (const proof of proofs) {
          const fault = faultOf(proof);
          if (fault !== undefined) faults.push(`${file}, ${section}: "${row}": ${proof}: ${fault}`);
        }
      }
    }
    for (const [section, ofSection] of Object.entries(left)) {
      for (const [row, reason] of Object.entries(ofSection))
        if (reason === '') faults.push(`${file}, ${section}: "${row}" is left without a reason`);
    }
  }
  return { count, faults };
};
