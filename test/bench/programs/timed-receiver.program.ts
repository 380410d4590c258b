import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { answerQuestions } from '../harness/program';

/** When each callback first came, by the path of its address; ms since the epoch. */
const arrivedAt = new Map<string, number>();
let hanging = 0;
let onArrival: () => void = () => undefined;

const prompt = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const path = request.url ?? '';
    if (!arrivedAt.has(path)) arrivedAt.set(path, performance.timeOrigin + performance.now());
    response.writeHead(200, { 'content-length': 0 });
    response.end();
    onArrival();
  });
});
/** Accepts every call and never answers one. */
const silent = createServer((request) => {
  request.resume();
  hanging += 1;
  onArrival();
});
for (const server of [prompt, silent]) server.keepAliveTimeout = 60_000;

export type TimedReceiverQuestion =
  | { readonly kind: 'listen' }
  | { readonly kind: 'arrivals'; readonly count: number }
  | { readonly kind: 'hanging'; readonly count: number }
  | { readonly kind: 'forget' };

export type TimedReceiverAnswer =
  | { readonly kind: 'ports'; readonly prompt: number; readonly silent: number }
  | { readonly kind: 'arrivals'; readonly at: readonly (readonly [path: string, atMs: number])[] }
  | { readonly kind: 'done' };

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const until = (isSo: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    onArrival = () => {
      if (isSo()) resolve();
    };
    onArrival();
  });

answerQuestions(async (question: TimedReceiverQuestion): Promise<TimedReceiverAnswer> => {
  switch (question.kind) {
    case 'listen':
      return { kind: 'ports', prompt: await portOf(prompt), silent: await portOf(silent) };
    case 'arrivals':
      await until(() => arrivedAt.size >= question.count);
      return { kind: 'arrivals', at: [...arrivedAt] };
    case 'hanging':
      await until(() => hanging >= question.count);
      return { kind: 'done' };
    case 'forget':
      arrivedAt.clear();
      hanging = 0;
      return { kind: 'done' };
  }
});
