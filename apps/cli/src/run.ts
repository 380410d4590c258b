import { spawn } from 'node:child_process';
import { exitCodeOf } from './service/exit-code';
import { builtProgram } from './service/service-program';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** `orch run`: runs the service in the foreground, with this environment, its signals and its exit code. Its log is JSON, one line an event. */
export const run = (): Promise<number> => {
  const child = spawn(process.execPath, [builtProgram('orchestrator')], { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => void child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
};
