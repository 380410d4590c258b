import type { Outcome } from './answer-faults';
import { KeepAliveSocket, type RawAnswer } from './keep-alive-socket';

export interface FuzzedRequest {
  readonly route: string;
  readonly method: string;
  readonly bytes: Buffer;
  readonly faults: readonly string[];
}

export interface FuzzRun {
  readonly seed: number;
  readonly port: () => number;
  readonly request: (number: number) => FuzzedRequest;
  readonly outcomeOf: (route: string, answer: RawAnswer) => Outcome;
  readonly outcomes: Set<string>;
}

const CONNECTIONS = 8;
const FAULTS_SHOWN_MAX = 5;
const BYTES_SHOWN_MAX = 2_000;

export const sendFuzzed = async (
  { seed, port, request, outcomeOf, outcomes }: FuzzRun,
  first: number,
  count: number,
): Promise<readonly string[]> => {
  const faults: string[] = [];
  let next = first;
  const sender = async (): Promise<void> => {
    const socket = new KeepAliveSocket(port());
    let before = 'nothing';
    try {
      while (next < first + count && faults.length < FAULTS_SHOWN_MAX) {
        const number = next++;
        const { route, method, bytes, faults: made } = request(number);
        try {
          outcomes.add(`${route} ${outcomeOf(route, await socket.exchange(bytes, method))}`);
        } catch (error) {
          const shown = JSON.stringify(bytes.subarray(0, BYTES_SHOWN_MAX).toString('latin1'));
          const again = `FUZZ_SEED=${seed} FUZZ_FIRST=${number} FUZZ_REQUESTS=1`;
          faults.push(`${(error as Error).message}; ${route}: ${made.join(', ')}; behind ${before}; again with ${again}\n${shown}`);
        }
        before = `${number} (${route}: ${made.join(', ')})`;
      }
    } finally {
      socket.close();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  return faults;
};
