import { privateFolderProblem, secretFileProblem } from './file-mode';

const FILE = 0o100_000;

describe('secretFileProblem', () => {
  it.each([0o600, 0o400, 0o700])('accepts mode %o', (mode) => {
    expect(secretFileProblem('/etc/orchestrator/acme.key', FILE | mode)).toBeUndefined();
  });

  it.each([
    [0o644, '644'],
    [0o640, '640'],
    [0o604, '604'],
    [0o620, '620'],
    [0o602, '602'],
    [0o601, '601'],
    [0o444, '444'],
  ])('refuses mode %o', (mode, text) => {
    expect(secretFileProblem('/etc/orchestrator/acme.key', FILE | mode)).toBe(`other users can access it (mode ${text}); chmod 600 it`);
  });

  it('accepts files that others can read only in a mounted secrets folder, and refuses files that others can write', () => {
    for (const path of ['/run/secrets/acme.key', '/var/run/secrets/keys/acme.key']) {
      expect(secretFileProblem(path, FILE | 0o444)).toBeUndefined();
      expect(secretFileProblem(path, FILE | 0o640)).toBeUndefined();
      expect(secretFileProblem(path, FILE | 0o664)).toContain('mode 664');
    }
    for (const path of ['/run/secretsx', '/data/run/secrets/acme.key', '/run/secrets'])
      expect(secretFileProblem(path, FILE | 0o444)).toContain('mode 444');
  });
});

describe('privateFolderProblem', () => {
  it('accepts only modes without access for others', () => {
    for (const mode of [0o700, 0o500]) expect(privateFolderProblem(mode)).toBeUndefined();
    for (const mode of [0o755, 0o750, 0o711, 0o777, 0o701]) expect(privateFolderProblem(mode)).toContain('chmod 700 it');
  });
});
