import { eventually } from './eventually';

const LIMIT_MS = 40;

/** Keeps the processor busy: time passes, and nothing else happens. */
const spend = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('eventually', () => {
  it('goes on where the condition holds, without waiting for more', async () => {
    let asked = 0;
    await eventually(() => ++asked === 3);
    expect(asked).toBe(3);
  });

  it('fails where nothing changed for the limit, and shows what was seen last', async () => {
    const stuck = eventually(() => false, { limitMs: LIMIT_MS, seen: () => ({ position: 7n }) });
    await expect(stuck).rejects.toThrow(`nothing changed for ${LIMIT_MS} ms; seen last: {"position":"7"}`);
  });

  it('waits on for as long as something changes', async () => {
    let steps = 0;
    const isOver = (): boolean => {
      spend(LIMIT_MS / 2);
      return ++steps === 8;
    };
    await expect(eventually(isOver, { limitMs: LIMIT_MS, seen: () => steps })).resolves.toBeUndefined();
  });

  it('passes on at once what the condition throws', async () => {
    await expect(eventually(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  });
});
