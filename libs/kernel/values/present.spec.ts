import { present } from './present';

describe('present', () => {
  it('keeps members that are not undefined, in order, including null, false, zero and the empty text', () => {
    const found = present({ last: undefined, text: '', none: null, no: false, zero: 0, name: 'Ada' });
    expect(Object.entries(found)).toStrictEqual([
      ['text', ''],
      ['none', null],
      ['no', false],
      ['zero', 0],
      ['name', 'Ada'],
    ]);
  });

  it('returns a copy', () => {
    const members = { name: 'Ada' };
    expect(present(members)).not.toBe(members);
  });
});
