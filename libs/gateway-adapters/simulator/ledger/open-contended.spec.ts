import { OPEN_TRIES_MAX, openContended } from './ledger';

const failing = (times: number, message: string) => {
  let tries = 0;
  const open = async (): Promise<string> => {
    tries += 1;
    if (tries <= times) throw new Error(message);
    return 'open';
  };
  return { open, tries: () => tries };
};

describe('openContended', () => {
  it('retries while the file is locked', async () => {
    const file = failing(OPEN_TRIES_MAX - 1, 'database is locked');
    await expect(openContended(file.open)).resolves.toBe('open');
    expect(file.tries()).toBe(OPEN_TRIES_MAX);
  });

  it('throws the reason after the last retry', async () => {
    const file = failing(OPEN_TRIES_MAX, 'database is locked');
    await expect(openContended(file.open)).rejects.toThrow('database is locked');
    expect(file.tries()).toBe(OPEN_TRIES_MAX);
  });

  it('does not retry after any other error', async () => {
    const file = failing(1, 'disk I/O error');
    await expect(openContended(file.open)).rejects.toThrow('disk I/O error');
    expect(file.tries()).toBe(1);
  });
});
