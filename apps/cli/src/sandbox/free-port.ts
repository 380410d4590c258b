import { createServer } from 'node:net';
import { CommandFailed } from '../command-failed';

const HOST = '127.0.0.1';

/** The port itself where it is free, any free one where it is 0. @throws CommandFailed naming the variable of a port that is taken */
export const freePort = (variable: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(isTaken ? new CommandFailed(`port ${port} is taken: set ${variable} to a free one, or to 0 for any`) : error);
    });
    probe.listen(port, HOST, () => {
      const address = probe.address();
      const free = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(free));
    });
  });
