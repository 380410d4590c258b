import { REFUSALS } from '@app/gateway-protocol';
import { answerTable } from './answer-table';
import { tableRow } from './markdown-table';
import { requestTable } from './request-table';

const isRefusal = (name: string): name is keyof typeof REFUSALS => Object.hasOwn(REFUSALS, name);

const refusalRow = (name: string): string => {
  if (!isRefusal(name)) throw new Error(`${name} is no refusal of the catalogue`);
  return tableRow(String(REFUSALS[name].code), `\`${name}\``);
};

const refusalTable = (names: string): readonly string[] => [
  tableRow('error-code', '[Name](../errors.md)'),
  tableRow('---', '---'),
  ...names.split(/,\s*/).map(refusalRow),
];

/** Generates the text between a mark such as `<!-- request SaleRequest -->` and the next `<!-- end -->`. */
const PARTS: Readonly<Record<string, (about: string) => readonly string[]>> = {
  request: requestTable,
  answer: answerTable,
  refusals: refusalTable,
};

const PART = /<!-- (\S+) ([^>]+?) -->\n[\s\S]*?<!-- end -->/g;

export const withGeneratedParts = (markdown: string): string => {
  let marks = 0;
  const page = markdown.replaceAll(PART, (_whole, kind: string, about: string) => {
    const make = PARTS[kind];
    if (make === undefined) throw new Error(`a generated part of no kind: ${kind}`);
    marks += 2;
    return [`<!-- ${kind} ${about} -->`, '', ...make(about), '', '<!-- end -->'].join('\n');
  });
  const found = page.match(/<!--/g)?.length ?? 0;
  if (found !== marks) throw new Error(`${found} marks, of which ${marks} belong to generated parts`);
  return page;
};
