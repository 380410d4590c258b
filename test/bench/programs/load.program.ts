import { performance } from 'node:perf_hooks';
import { answerQuestions } from '../harness/program';
import { quantile } from '../harness/figure';
import { Connection } from '../load/connection';
import { ACCEPTED, requestsFrom } from '../load/requests';
import type { Load, LoadResult } from '../load/load';

const PREPARED_AT_ONCE = 20_000;
const MICROSECONDS_PER_MS = 1_000;

const run = ({ ports, connections, requests, from, prepare, durationMs }: Load): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const prepared = requestsFrom(requests, from, prepare);
    const accepted = ACCEPTED[requests.kind];
    const latenciesMs: number[] = [];
    let next = 0;
    let open = connections;
    let failed = 0;
    let firstFailure = '';
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    const until = durationMs === undefined ? Number.POSITIVE_INFINITY : startedAt + durationMs;

    const end = (): void => {
      const elapsedMs = performance.now() - startedAt;
      if (failed > 0) {
        reject(new Error(`${failed} of ${latenciesMs.length} requests were not accepted, the first: ${firstFailure}`));
        return;
      }
      const { user, system } = process.cpuUsage(cpu);
      resolve({
        answered: latenciesMs.length,
        elapsedMs,
        medianMs: quantile(latenciesMs, 0.5),
        p99Ms: quantile(latenciesMs, 0.99),
        generatorCpuMs: (user + system) / MICROSECONDS_PER_MS,
      });
    };
    const begin = (port: number): void => {
      let sentAt = 0;
      const connection = new Connection(
        port,
        (status, body) => {
          const now = performance.now();
          latenciesMs.push(now - sentAt);
          if (status !== '200' || !body.startsWith(accepted)) {
            failed += 1;
            if (firstFailure === '') firstFailure = `${status} ${body.slice(0, 300)}`;
          }
          sendNext(now);
        },
        reject,
      );
      const sendNext = (now: number): void => {
        if (now >= until || (durationMs === undefined && next >= prepared.length)) {
          connection.close();
          open -= 1;
          if (open === 0) end();
          return;
        }
        if (next >= prepared.length) prepared.push(...requestsFrom(requests, from + prepared.length, PREPARED_AT_ONCE));
        const request = prepared[next];
        if (request === undefined) throw new Error('there is no request to send');
        next += 1;
        sentAt = now;
        connection.send(request);
      };
      sendNext(performance.now());
    };
    for (let index = 0; index < connections; index++) {
      const port = ports[index % ports.length];
      if (port === undefined) throw new Error('there is no service to send to');
      begin(port);
    }
  });

answerQuestions(run);
