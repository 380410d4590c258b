import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../harness/program';

const seen = new Set<string>();
let onCallback: () => void = () => undefined;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const id = request.headers['webhook-id'];
    if (typeof id === 'string') seen.add(id);
    response.writeHead(200, { 'content-length': 0 });
    response.end();
    onCallback();
  });
});
server.keepAliveTimeout = 60_000;

export type ReceiverQuestion = { readonly kind: 'listen' } | { readonly kind: 'wait'; readonly count: number };

/** Answers with the port, or with the number of deliveries once it has reached the given count. */
answerQuestions(async (question: ReceiverQuestion): Promise<number> => {
  switch (question.kind) {
    case 'listen':
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    case 'wait':
      await new Promise<void>((resolve) => {
        onCallback = () => {
          if (seen.size >= question.count) resolve();
        };
        onCallback();
      });
      return seen.size;
  }
});
