import { WireServer } from '../../fakes/eventstoredb';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ChaosTarget {
  readonly name: string;
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** Makes a kill lose the answers of stored appends, which seldom happens by chance. */
const LOST_ANSWERS = 4;
const COMMAND_TIMEOUT_MS = 60_000;

export const wireTarget = async (): Promise<ChaosTarget> => {
  const server = await WireServer.start();
  return {
    name: 'the wire server',
    url: `${server.discoveryConnectionString}&maxDiscoverAttempts=3`,
    kill: async () => {
      server.faults.append({ kind: 'hang', isStored: true }, { times: LOST_ANSWERS });
      while (server.faults.pending > 0) await new Promise((resolve) => void setImmediate(resolve));
      await server.kill();
    },
    start: () => server.start(),
    dispose: () => server.kill(),
  };
};

const shell = async (command: string): Promise<void> => {
  await promisify(execFile)('/bin/sh', ['-c', command], { timeout: COMMAND_TIMEOUT_MS });
};

/** Undefined if `ESDB_URL`, `ESDB_KILL_COMMAND` or `ESDB_START_COMMAND` is not set. */
export const realTarget = ({ ESDB_URL, ESDB_KILL_COMMAND, ESDB_START_COMMAND }: NodeJS.ProcessEnv): ChaosTarget | undefined => {
  if (!ESDB_URL || !ESDB_KILL_COMMAND || !ESDB_START_COMMAND) return undefined;
  return {
    name: 'the node of ESDB_KILL_COMMAND',
    url: ESDB_URL,
    kill: () => shell(ESDB_KILL_COMMAND),
    start: () => shell(ESDB_START_COMMAND),
    dispose: () => Promise.resolve(),
  };
};
