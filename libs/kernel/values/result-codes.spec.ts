import { RESULT_CODES, resultCode, resultMessage, type ResultEntry } from './result-codes';

describe('result codes (protocol decisions, section 4)', () => {
  const entries: readonly ResultEntry[] = Object.values(RESULT_CODES);

  it('are unique, since only the number is stored', () => {
    expect(new Set(entries.map(({ code }) => code)).size).toBe(entries.length);
  });

  it('are found by name, and their text by code', () => {
    expect(resultCode('insufficient-funds')).toBe(116);
    expect(entries.map(({ code }) => resultMessage(code))).toEqual(entries.map(({ message }) => message));
  });

  it('have no message for a code that only a gate knows', () => {
    expect(resultMessage(777)).toBeUndefined();
  });
});
