import fc from 'fast-check';
import { FileText } from './settlement-lines';

const read = (...pieces: readonly Uint8Array[]): string => {
  const text = new FileText();
  return [...pieces.map((piece) => text.push(piece)), text.end()].join('');
};
const piecesOf = (bytes: Buffer, size: number): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
const UTF_16 = 'the file is UTF-16: save it as UTF-8';

describe('FileText', () => {
  it.each([
    ['LF', 'a\nb\n', 'a\nb\n'],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['CR', 'a\rb\r', 'a\nb\n'],
    ['CR and no more than one line', 'a\r', 'a\n'],
    ['LF, with a CR in a line', 'a\nb\rc\n', 'a\nb\rc\n'],
    ['a byte order mark and letters of other scripts', '\ufeffзаказ\r\n👛', '\ufeffзаказ\r\n👛'],
  ])('reads text with %s equally for any chunk size', (_, written, expected) => {
    const bytes = Buffer.from(written);
    for (let size = 1; size <= bytes.length; size++) expect(read(...piecesOf(bytes, size))).toBe(expected);
  });

  it('returns text without CR unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, size) => {
        fc.pre(!/[\r\0]/.test(text));
        expect(read(...piecesOf(Buffer.from(text), size))).toBe(text);
      }),
    );
  });

  it.each([
    ['UTF-16 with a mark', Buffer.from('\ufefforder', 'utf16le'), UTF_16],
    ['UTF-16 with a mark, big end first', Buffer.from('\ufefforder', 'utf16le').swap16(), UTF_16],
    ['UTF-16 without a mark', Buffer.from('order', 'utf16le'), UTF_16],
    ['UTF-16 without a mark, big end first', Buffer.from('order', 'utf16le').swap16(), UTF_16],
    ['letters of an older encoding', Buffer.from([0x61, 0xe7, 0x61]), 'not UTF-8: save the file as UTF-8'],
    ['half a character at the end', Buffer.from([0x61, 0xd0]), 'not UTF-8: save the file as UTF-8'],
  ])('rejects %s with the required encoding', (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message);
  });
});
