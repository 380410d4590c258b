import 'reflect-metadata';
import { MARKS, marksMissing, WORLDS_FOR_ALL_MARKS } from './marks';

const LEFT = 'death gate.voiding.void before';
const all = new Map(MARKS.map((mark) => [mark, 1]));
const allBut = (left: string) => new Map([...all].filter(([mark]) => mark !== left));

describe('the marks of a run (safety, section 4)', () => {
  it('fail a run of 500 worlds that did not reach one of them, and name it', () => {
    expect(marksMissing({ seedsDone: 500, marks: allBut(LEFT) })).toStrictEqual({ never: [LEFT], isFailure: true });
  });
  it('do not fail a run of 500 worlds that reached all', () => {
    expect(marksMissing({ seedsDone: 500, marks: all })).toStrictEqual({ never: [], isFailure: false });
  });
  it('name the missing one, but do not fail a run of fewer worlds', () => {
    expect(WORLDS_FOR_ALL_MARKS).toBe(500);
    expect(marksMissing({ seedsDone: 499, marks: allBut(LEFT) })).toStrictEqual({ never: [LEFT], isFailure: false });
  });
});
