import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { CommandFailed } from '../command-failed';

const HOST = '127.0.0.1';
/**
 * Below the ports that systems give by themselves (Linux from 32768, others from 49152, IANA RFC 6335). A port is free until the program that it is for
 * listens on it, some seconds later, and one that the system chose may have become the end of somebody's connection by then.
 */
const OWN_RANGE = { from: 10_240, to: 32_768 };
const TRIES_MAX = 100;

/** What one program was given is given to none of its others, although nothing may listen there yet. */
const given = new Set<number>();

const anyOfOwnRange = (): number => randomInt(OWN_RANGE.from, OWN_RANGE.to);

/** @param others codes of errors that also mean: not this one. @throws Error for any other */
const isFree = (port: number, ...others: readonly string[]): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (['EADDRINUSE', ...others].includes(error.code ?? '')) resolve(false);
      else reject(error);
    });
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });

/**
 * The port itself where it is free, any free one where it is 0.
 * @param candidate the next one to try where any will do
 * @throws CommandFailed naming the variable of a port that is taken
 */
export const freePort = async (variable: string, port: number, candidate: () => number = anyOfOwnRange): Promise<number> => {
  if (port !== 0) {
    if (await isFree(port)) return port;
    throw new CommandFailed(`port ${port} is taken: set ${variable} to a free one, or to 0 for any`);
  }
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const any = candidate();
    // Windows keeps ranges of ports for itself.
    if (given.has(any) || !(await isFree(any, 'EACCES'))) continue;
    given.add(any);
    return any;
  }
  throw new CommandFailed(`no free port was found for ${variable}: set it to one`);
};
