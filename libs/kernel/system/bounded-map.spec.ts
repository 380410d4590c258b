import { BoundedMap } from './bounded-map';

describe('BoundedMap', () => {
  const filled = (): BoundedMap<string, number> => new BoundedMap<string, number>(3).set('a', 1).set('b', 2).set('c', 3);

  it('drops the oldest entry above its limit', () => {
    expect([...filled().set('d', 4)]).toStrictEqual(Object.entries({ b: 2, c: 3, d: 4 }));
  });

  it('makes an entry that is set again the newest, and drops no other entry', () => {
    expect([...filled().set('a', 5)]).toStrictEqual(Object.entries({ b: 2, c: 3, a: 5 }));
  });

  it('does not keep an entry longer because it was read', () => {
    const map = filled();
    expect(map.get('a')).toBe(1);
    expect(map.set('d', 4).has('a')).toBe(false);
  });
});
