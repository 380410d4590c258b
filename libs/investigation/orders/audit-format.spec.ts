import { inFormat } from './audit-format';

const COLUMNS = ['id', 'note', 'code'];
const ROWS = [
  { id: 'one', note: '=HYPERLINK("http://x")', code: 7 },
  { id: 'two', note: 'a,"b"\r\nc', code: null },
];

describe('rows of an answer', () => {
  it('are one object in JSON, with the facts of the page', () => {
    expect(JSON.parse(inFormat('json', 'orders', COLUMNS, ROWS, { next: 'here', index: undefined }))).toStrictEqual({
      version: 1,
      next: 'here',
      orders: ROWS,
    });
  });

  it('are an object a line in NDJSON, each with the version', () => {
    const lines = inFormat('ndjson', 'orders', COLUMNS, ROWS).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual(ROWS.map((row) => ({ version: 1, ...row })));
  });

  it('are a record each in CSV, in which no field is a formula', () => {
    expect(inFormat('csv', 'orders', COLUMNS, ROWS)).toBe(
      'version,id,note,code\r\n1,one,"\'=HYPERLINK(""http://x"")",7\r\n1,two,"a,""b""\r\nc",\r\n',
    );
    expect(inFormat('csv', 'orders', COLUMNS, [])).toBe('version,id,note,code\r\n');
  });
});
