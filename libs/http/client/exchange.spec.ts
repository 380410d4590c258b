import * as fc from 'fast-check';
import { AnswerBody } from './exchange';

describe('the body of a response', () => {
  it('is complete for any split into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 12 }), (pieces) => {
        const body = new AnswerBody();
        for (const piece of pieces) body.add(piece);
        const whole = Buffer.concat(pieces);
        expect(Buffer.from(body.bytes()).equals(whole)).toBe(true);
        expect(body.text()).toBe(new TextDecoder().decode(whole));
      }),
    );
  });

  it('copies its bytes, so that the read buffer can be freed', () => {
    const read = Buffer.from(`${' '.repeat(65_535)}x`);
    const body = new AnswerBody();
    body.add(read.subarray(65_535));
    read.fill('?');
    expect(body.text()).toBe('x');
    expect(body.bytes().buffer.byteLength).toBeLessThan(4_096);
  });

  it('uses at most twice its length and reallocates rarely for tiny chunks', () => {
    const body = new AnswerBody();
    const piece = Buffer.from('x');
    const spaces = new Set<ArrayBufferLike>();
    for (let count = 0; count < 20_000; count++) {
      body.add(piece);
      spaces.add(body.bytes().buffer);
    }
    expect(body.bytes()).toHaveLength(20_000);
    expect(body.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * 20_000);
    expect(spaces.size).toBeLessThan(10);
  });
});
