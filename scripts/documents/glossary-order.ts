const ROW = /^\| (\S.*?) +\| /gm;

export const glossaryFaults = (markdown: string): readonly string[] => {
  const terms = [...markdown.matchAll(ROW)].map(([, term = '']) => term.toLowerCase().replaceAll('-', ' ')).slice(1);
  const faults = terms.flatMap((term, index) => {
    const before = terms[index - 1];
    if (before === undefined || before < term) return [];
    return [before === term ? `${term} stands twice` : `${term} stands after ${before}`];
  });
  return terms.length === 0 ? ['no terms'] : faults;
};
