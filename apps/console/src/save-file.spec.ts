import { csvOf, joinedPages, ndjsonOf, stampOf } from './save-file';

describe('csvOf', () => {
  it('writes a head, and quotes what needs quotes', () => {
    expect(csvOf(['a', 'b'], [{ a: 'x,"y"', b: 2, c: 'left out' }])).toBe('a,b\r\n"x,""y""",2\r\n');
  });
  it('writes nothing for null', () => {
    expect(csvOf(['a', 'b'], [{ a: null, b: false }])).toBe('a,b\r\n,false\r\n');
  });
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1'])('leaves no formula in %j', (text) => {
    expect(csvOf(['a'], [{ a: text }])).toBe(`a\r\n'${text}\r\n`);
  });
});

it('ndjsonOf writes one object a line', () => {
  expect(ndjsonOf([{ a: 1 }, { a: null }])).toBe('{"a":1}\n{"a":null}\n');
});

it('stampOf is a time that a file name can have', () => {
  expect(stampOf(new Date('2026-11-29T01:02:03.456Z'))).toBe('20261129T010203Z');
});

it('joinedPages keeps the head of the first page of CSV only', () => {
  expect(joinedPages('csv', ['a,b\r\n1,2\r\n', 'a,b\r\n3,4\r\n'])).toBe('a,b\r\n1,2\r\n3,4\r\n');
  expect(joinedPages('ndjson', ['{"a":1}\n', '{"a":2}\n'])).toBe('{"a":1}\n{"a":2}\n');
});
