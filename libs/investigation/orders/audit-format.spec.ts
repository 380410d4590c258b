import { inFormat } from './audit-format';

const COLUMNS = ['id', 'note', 'code'];
const ROWS = [
  { id: 'one', note: '=HYPERLINK("http://x")', code: 7 },
  { id: 'two', note: 'a,"b"\r\nc', code: null },
];

describe('inFormat', () => {
  it('writes one JSON object with the rows and the page data', () => {
    expect(JSON.parse(inFormat('json', 'orders', COLUMNS, ROWS, { next: 'here', index: undefined }))).toStrictEqual({
      version: 1,
      next: 'here',
      orders: ROWS,
    });
  });

  it('writes one NDJSON object per row, each with the version', () => {
    const lines = inFormat('ndjson', 'orders', COLUMNS, ROWS).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual(ROWS.map((row) => ({ version: 1, ...row })));
  });

  it('writes one CSV record per row, and escapes formulas', () => {
    expect(inFormat('csv', 'orders', COLUMNS, ROWS)).toBe(
      'version,id,note,code\r\n1,one,"\'=HYPERLINK(""http://x"")",7\r\n1,two,"a,""b""\r\nc",\r\n',
    );
    expect(inFormat('csv', 'orders', COLUMNS, [])).toBe('version,id,note,code\r\n');
  });
});
