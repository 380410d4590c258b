import * as fc from 'fast-check';
import { AnswerBody } from './exchange';

describe('the body of an answer', () => {
  it('is whole, in whatever pieces it comes', () => {
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

  it('keeps a copy, so that one byte does not hold all that was read with it', () => {
    const read = Buffer.from(`${' '.repeat(65_535)}x`);
    const body = new AnswerBody();
    body.add(read.subarray(65_535));
    read.fill('?');
    expect(body.text()).toBe('x');
    expect(body.bytes().buffer.byteLength).toBeLessThan(4_096);
  });

  it('takes no more than twice its length, and moves a few times only where it drips', () => {
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
