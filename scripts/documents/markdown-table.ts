const cell = (text: string): string => text.replaceAll('|', '\\|');

export const tableRow = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
