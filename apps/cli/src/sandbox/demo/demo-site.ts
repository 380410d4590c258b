import { createServer, type Server } from 'node:http';

/** The merchants' servers: take callbacks and answer with the status that the plan gives for their path. */
export class DemoSite {
  private constructor(private readonly server: Server) {}

  static open(port: number, statusOf: (path: string) => number): Promise<DemoSite> {
    const server = createServer((request, response) => {
      request.resume();
      request.once('end', () => void response.writeHead(statusOf((request.url ?? '').split('?', 1)[0] ?? '')).end());
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      // Longer than any pause of the play, so that no kept connection closes under a request.
      server.keepAliveTimeout = 600_000;
      server.listen(port, '127.0.0.1', () => resolve(new DemoSite(server)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}
