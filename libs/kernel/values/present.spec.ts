import { present } from './present';

describe('the members that are present', () => {
  it('are those that are not undefined, in their order; null, false and the empty text stay', () => {
    const found = present({ last: undefined, text: '', none: null, no: false, zero: 0, name: 'Ada' });
    expect(Object.entries(found)).toStrictEqual([
      ['text', ''],
      ['none', null],
      ['no', false],
      ['zero', 0],
      ['name', 'Ada'],
    ]);
  });

  it('are a copy', () => {
    const members = { name: 'Ada' };
    expect(present(members)).not.toBe(members);
  });
});
