import fc from 'fast-check';
import { CsvFault, CSV_FIELD_MAX, CSV_RECORD_MAX, CsvReader, type CsvRow, csvRecord } from './csv';

const read = (...pieces: readonly string[]): readonly CsvRow[] => {
  const reader = new CsvReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
};
const fieldsOf = (...pieces: readonly string[]) => read(...pieces).map(({ fields }) => fields);

const faultOf = (...pieces: readonly string[]): string => {
  try {
    read(...pieces);
  } catch (error) {
    if (error instanceof CsvFault) return error.message;
    throw error;
  }
  return 'none';
};

describe('a CSV file', () => {
  it.each<[string, string, readonly (readonly string[])[]]>([
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'LF',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line break at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a byte order mark', '\uFEFFa,b\n', [['a', 'b']]],
    [
      'empty lines, and lines of spaces',
      '\n  \r\na,b\r\n\r\n1,2\n   \n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'empty fields',
      ',\n"",\n',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    [
      'quotes, commas and line breaks in quotes',
      '"a ""b""","c,d"\r\n"e\r\nf","g\nh"\r\n',
      [
        ['a "b"', 'c,d'],
        ['e\r\nf', 'g\nh'],
      ],
    ],
    ['nothing', '', []],
  ])('is read with %s', (_, text, rows) => {
    expect(fieldsOf(text)).toStrictEqual(rows);
  });

  it('returns the first line number of each record', () => {
    expect(read('a,b\n"1\n2",3\n\n4,5\n').map(({ line }) => line)).toStrictEqual([1, 2, 5]);
  });

  it.each([
    [
      'a quote inside a plain field',
      'a,b\nc"d,e\n',
      'line 2, column 1: a quote must stand at both ends of a field, or doubled in a quoted one',
    ],
    ['text after a quoted field', 'a,"b"c\n', 'line 1, column 2: a quoted field must end at a comma or a line break'],
    ['a quoted field without an end', 'a,"b\nc', 'line 1: a quoted field must end'],
    ['more fields than the header', 'a,b\n1,2,3\n', 'line 2: must have 2 fields, not 3'],
    ['fewer fields than the header', 'a,b\n1\n', 'line 2: must have 2 fields, not 1'],
    ['a NUL', 'a,b\n1,\u0000\n', 'line 2, column 2: must have no control character'],
    ['a tab', 'a,b\n1\t,2\n', 'line 2, column 1: must have no control character'],
    ['a carriage return without a line feed', 'a,b\n1\r,2\n', 'line 2, column 1: must have no control character'],
    ['a carriage return without a line feed in quotes', 'a,b\n"1\r",2\n', 'line 2, column 1: must have no control character'],
    [
      'a field that is too long',
      `a,b\n1,${'x'.repeat(CSV_FIELD_MAX + 1)}\n`,
      `line 2, column 2: must have at most ${CSV_FIELD_MAX} characters`,
    ],
    ['a record that is too long', 'x'.repeat(CSV_RECORD_MAX + 1), `line 1: must have at most ${CSV_RECORD_MAX} characters`],
    ['a whole record that is too long', `${'x,'.repeat(CSV_RECORD_MAX)}\n`, `line 1: must have at most ${CSV_RECORD_MAX} characters`],
    ['a quoted field without a near end', `"${'x'.repeat(2 * CSV_RECORD_MAX)}`, `line 1: must have at most ${CSV_RECORD_MAX} characters`],
    [
      'a quoted field that is too long',
      `"\n${'x'.repeat(2 * CSV_RECORD_MAX)}"`,
      `line 1, column 1: must have at most ${CSV_FIELD_MAX} characters`,
    ],
  ])('is rejected with %s by line and column, without the content', (_, text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  const character = fc.constantFrom(...'ab1",\n \r;é=+-@\'＝');
  const field = fc.string({ unit: character, maxLength: 12 }).map((text) => text.replaceAll('\r', '\r\n'));
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 8 }));
  /** Cuts a text at arbitrary places. */
  const pieces = (text: string, cuts: readonly number[]): readonly string[] => {
    const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
    return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
  };

  it('is read as it was written for any chunk boundaries', () => {
    fc.assert(
      fc.property(table, fc.array(fc.nat(), { maxLength: 6 }), (rows, cuts) => {
        const text = rows.map(csvRecord).join('');
        // A record of one blank field is an empty line.
        fc.pre(!rows.some((row) => row.length === 1 && row[0]?.trim() === ''));
        expect(fieldsOf(...pieces(text, cuts))).toStrictEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\n=1', '＝1', "'=1", "''a", '="a",""'])(
    'contains no spreadsheet formula for %j, and the original text is read back',
    (text) => {
      const record = csvRecord([text, '1']);
      expect(record).toMatch(/^"?'/);
      expect(fieldsOf('a,b\n', record)).toStrictEqual([
        ['a', 'b'],
        [text, '1'],
      ]);
    },
  );

  it.each(["'", "'a", "a'=1", '1-1', ''])('is read unchanged with %j', (text) => {
    expect(fieldsOf(`${text},1\n`)).toStrictEqual([[text, '1']]);
  });

  it('is read to the same rows or fault for any chunk boundaries', () => {
    const anything = fc.string({ unit: fc.constantFrom(...'a,"\n\r\u0000'), maxLength: 40 });
    fc.assert(
      fc.property(anything, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const outcome = (...parts: readonly string[]): unknown => {
          try {
            return read(...parts);
          } catch (error) {
            return (error as CsvFault).message;
          }
        };
        expect(outcome(...pieces(text, cuts))).toStrictEqual(outcome(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
