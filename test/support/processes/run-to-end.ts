import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { environmentOf, ServiceProcess, type Environment, type Exit } from './service-process';

const END_TIMEOUT_MS = 30_000;

export const runToEnd = async (settings: {
  readonly environment: Environment;
  readonly configurationText?: string;
}): Promise<Exit & { readonly stdout: string; readonly stderr: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'orchestrator-e2e-'));
  try {
    const path = join(folder, 'configuration.json');
    if (settings.configurationText !== undefined) writeFileSync(path, settings.configurationText);
    const ports = { port: await freePort(), operatorPort: await freePort() };
    const child = new ServiceProcess(environmentOf({ folder, dataDir: folder, ...ports }, settings.environment));
    child.isEndExpected = true;
    const late = setTimeout(() => void child.end('SIGKILL'), END_TIMEOUT_MS);
    const exit = await child.exited;
    clearTimeout(late);
    return { ...exit, stdout: child.stdout, stderr: child.stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
