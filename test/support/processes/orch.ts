import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';

const ORCH = resolve(__dirname, '..', '..', '..', 'dist', 'apps', 'cli', 'src', 'main.js');

export interface OrchEnded {
  readonly code: number | null;
  readonly out: string;
  readonly problems: string;
}

export interface OrchRun {
  readonly child: ChildProcess;
  readonly ended: Promise<OrchEnded>;
}

export const startOrch = (args: readonly string[], environment: NodeJS.ProcessEnv): OrchRun => {
  const child = spawn(process.execPath, [ORCH, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<OrchEnded>((resolve, reject) => {
    let out = '';
    let problems = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problems += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, problems }));
  });
  return { child, ended };
};

export const orch = (args: readonly string[], environment: NodeJS.ProcessEnv): Promise<OrchEnded> => startOrch(args, environment).ended;
