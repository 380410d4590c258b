import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { ignoreClosedPipes, isColourWanted, printable, shortened } from './terminal';

it.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { NO_COLOR: '' }, true],
  [{ isTTY: true }, { NO_COLOR: '1' }, false],
  [{ isTTY: true }, { TERM: 'dumb' }, false],
  [{ isTTY: false }, {}, false],
  [{}, {}, false],
])('colour on %j with %j: %s', (stream, environment, isWanted) => {
  expect(isColourWanted(stream, environment)).toBe(isWanted);
});

it('escapes control, formatting and line separator characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }),
  );
  expect(printable('a\u202eb\rc')).toBe('a\\u{202e}b\\u{d}c');
});

it('shortens a text above the limit and appends an ellipsis', () => {
  expect(shortened('12345', 5)).toBe('12345');
  expect(shortened('123456', 5)).toBe('1234…');
});

describe.each(['stdout', 'stderr'] as const)('an error of %s', (name) => {
  const stream = process[name];
  const before = [...stream.listeners('error')];
  beforeEach(() => ignoreClosedPipes());
  afterEach(() => {
    for (const each of [process.stdout, process.stderr]) {
      for (const listener of each.listeners('error')) if (!before.includes(listener)) each.off('error', listener as () => void);
    }
  });
  const emit = (code: string): unknown => stream.emit('error', Object.assign(new Error(`write ${code}`), { code }));

  it('is ignored if the reader closed the pipe', () => {
    expect(() => emit('EPIPE')).not.toThrow();
  });

  it('is thrown for any other code', () => {
    expect(() => emit('EIO')).toThrow(new Error('write EIO'));
  });
});
