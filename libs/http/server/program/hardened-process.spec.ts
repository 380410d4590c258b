import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const folder = mkdtempSync(join(tmpdir(), 'hardened-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (isProduction: boolean, then: string): Promise<string> => {
  const program = `require(${JSON.stringify(join(__dirname, 'hardened-process.ts'))}).hardenProcess({ isProduction: ${isProduction} }); ${then}`;
  const args = ['--inspect-port=0', '--require', require.resolve('tsx/cjs'), '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout;
};

describe('a hardened process', () => {
  it('creates files and folders that only its owner can access', async () => {
    await run(false, `require('fs').writeFileSync('file', ''); require('fs').mkdirSync('a/b', { recursive: true });`);
    expect(['file', 'a', 'a/b'].map((name) => statSync(join(folder, name)).mode & 0o777)).toStrictEqual([0o600, 0o700, 0o700]);
  });

  const SIGNALLED = `
    const told = setInterval(() => require('inspector').url() && end(), 5);
    const end = () => { clearInterval(told); console.log(require('inspector').url() === undefined ? 'closed' : 'open'); process.exit(); };
    if (process.listenerCount('SIGUSR1') > 0) process.on('SIGUSR1', end);
    process.kill(process.pid, 'SIGUSR1');`;

  it('opens no inspector on SIGUSR1 in production', async () => {
    expect(await run(true, SIGNALLED)).toBe('closed\n');
  });

  it('opens an inspector on SIGUSR1 outside production', async () => {
    expect(await run(false, SIGNALLED)).toBe('open\n');
  });
});
