const cell = (text: string): string => text.replaceAll('|', '\\|');

/** One row of a Markdown table. */
export const tableRow = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
