import { binaryEvent, jsonEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { outcomeOf } from './outcome';
import { event, events, type Play, type Plays } from './play';
import { by, type Rpc } from './world';

const TRAP_LIMIT_MS = 20_000;
const RPCS: readonly Rpc[] = ['Append', 'BatchAppend'];

interface Ended {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: string;
}

const inOwnProcess = (trap: string): Promise<Ended> =>
  new Promise((resolve) => {
    const program = [join(__dirname, 'client-traps.ts'), trap];
    const options = { timeout: TRAP_LIMIT_MS, env: { ...process.env, NODE_OPTIONS: '' } };
    execFile(process.execPath, ['--require', require.resolve('tsx/cjs'), ...program], options, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), lines: output.trim().split('\n'), errors }),
    );
  });

const trapped: Play = async (_, { id, then }) => {
  const { code, lines, errors } = await inOwnProcess(id);
  expect({ code, errors: code === 0 ? '' : errors }).toStrictEqual({ code: 0, errors: '' });
  expect(JSON.parse(lines[0] ?? '')).toStrictEqual(then);
};

const numbersOf = async (client: EventStoreDBClient): Promise<readonly number[]> => {
  const numbers: number[] = [];
  for await (const { event: of } of client.readStream('s')) numbers.push((of?.data as { n: number }).n);
  return numbers;
};
const isInOrder = (numbers: readonly number[]): boolean => numbers.every((n, index) => index === 0 || n > (numbers[index - 1] ?? n));

export const clientPlays: Plays = {
  'id-not-uuid--batch': trapped,
  'id-empty-uuid--batch': trapped,
  'client-promise-bank': trapped,

  'client-bigint-in-data': async (_, { id, then }) => {
    const { code, lines } = await inOwnProcess(id);
    const { pending, process, stored } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect({ code, pending, process, stored }).toStrictEqual({
      code: 0,
      pending: true,
      process: then['process'],
      stored: 'stream-not-found',
    });
  },

  'client-minus-one-rejects-neighbours': async (_, { id, then }) => {
    const { lines } = await inOwnProcess(id);
    const { badAppend, neighbours, storedOfThe20 } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    const { message, ...bad } = then['badAppend'] as { message: string };
    expect(badAppend).toMatchObject({ ...bad, message: expect.stringContaining(message.replace(/\.\.\.$/, '')) });
    expect({ neighbours, storedOfThe20 }).toStrictEqual({ neighbours: then['neighbours'], storedOfThe20: then['storedOfThe20'] });
  },

  'client-bad-event-ends-process': async (_, { id, then }) => {
    const { code, lines, errors } = await inOwnProcess(id);
    const { append, about2sLater } = then as { append: unknown; about2sLater: string };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual([{ append }]);
    const [message = '', end = ''] = about2sLater.split(', not caught: process exit ');
    expect(errors).toContain(message);
    expect(code).toBe(Number(end));
  },

  'client-parallel-order-batch': async (world, { when, then }) => {
    const client = world.client(await world.server());
    const { times } = when as unknown as { times: number };
    await client.appendToStream('warm', event(0));
    await Promise.all(Array.from({ length: times }, (_, n) => client.appendToStream('s', event(n))));
    const numbers = await numbersOf(client);
    expect(numbers).toHaveLength(times);
    expect(isInOrder(numbers) ? 'in call order' : numbers).toBe((then as { warmedUp: string }).warmedUp);
  },

  'client-batch-multi-chunk-overtaken': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('warm', event(0));
    const chunks = (n: number) =>
      n % 3 === 0
        ? [
            jsonEvent({ type: 'T', data: { n } }),
            ...Array.from({ length: 4 }, () => binaryEvent({ id: randomUUID(), type: 'Bulk', data: new Uint8Array(100_000) })),
          ]
        : [event(n)];
    await Promise.all(Array.from({ length: 60 }, (_, n) => client.appendToStream('s', chunks(n), { batchAppendSize: 100_000 })));
    const numbers: number[] = [];
    for await (const { event: of } of client.readStream('s')) if (of?.type === 'T') numbers.push((of.data as { n: number }).n);
    expect(numbers).toHaveLength(60);
    expect({ inCallOrder: isInOrder(numbers) }).toStrictEqual(then);
  },

  'client-throw-on-append-failure-false': async (world, { then }) => {
    const client = world.client(await world.server(), '&throwOnAppendFailure=false');
    await client.appendToStream('s', events(8));
    const failed = async (rpc: Rpc) => {
      const { success, nextExpectedRevision } = await client.appendToStream('s', event(9), { expectedRevision: 3n, ...by(rpc) });
      return { success, nextExpectedRevision: `${nextExpectedRevision}n` };
    };
    expect({ batchAppend: await failed('BatchAppend'), append: await failed('Append') }).toStrictEqual(then);
  },

  'client-undefined-revision': async (world, { then }) => {
    const client = world.client(await world.server());
    await client.appendToStream('s', event(0));
    const { success: ok, nextExpectedRevision } = await client.appendToStream('s', event(1), { expectedRevision: undefined as never });
    expect({ ok, nextExpectedRevision: `${nextExpectedRevision}n` }).toStrictEqual(then);
  },

  'client-minus-one': async (world, { then }) => {
    const client = world.client(await world.server());
    for (const rpc of RPCS) {
      const append = client.appendToStream('s', event(0), { expectedRevision: -1n, ...by(rpc) });
      await expect(outcomeOf(append.then(() => ({})))).resolves.toStrictEqual(then);
    }
  },

  'secure-tls-to-insecure': async (world, { then }) => {
    const { address } = await world.server();
    const client = world.connect(`esdb://${address.host}:${address.port}?tls=true`);
    const { message: _, ...rest } = then;
    const outcome = await outcomeOf(client.appendToStream('s', event(0)).then(() => ({})));
    expect(outcome).toMatchObject({
      ...rest,
      message: expect.stringMatching(/^14 UNAVAILABLE: No connection established\. .*wrong version number/s),
    });
    expect(outcome).not.toHaveProperty('type');
  },
};
