import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { terminalOutput } from '../terminal';
import { listOrders, type ListOptions } from './list';

const before = { ...process.env };
const ORDER = { orderId: 'p-1', bin: null };
interface Page {
  readonly orders: readonly object[];
  readonly next?: string;
  readonly leftOut?: string;
  readonly text?: string;
}

let service: Server;
let pages: Page[];
beforeAll(async () => {
  service = createServer((_request, response) => {
    const { orders, next, leftOut, text } = pages.shift() ?? { orders: [] };
    response.writeHead(200, {
      ...(next !== undefined && { 'Audit-Next': next }),
      ...(leftOut !== undefined && { 'Audit-Left-Out': leftOut }),
    });
    response.end(text ?? JSON.stringify({ version: 1, orders }));
  });
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
  Object.assign(process.env, {
    ORCH_CONFIG: resolve(__dirname, '../../../../config/sandbox.yaml'),
    OPERATOR_PORT: String((service.address() as AddressInfo).port),
    ORCH_OPERATOR_TOKEN: 'a-token',
  });
});
afterAll(async () => {
  process.env = before;
  service.closeAllConnections();
  await new Promise((closed) => service.close(closed));
});

const listed = async (given: readonly Page[], options: ListOptions, isJson: boolean) => {
  pages = [...given];
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  await listOrders(options, terminalOutput(isJson, streams));
  return { out: out.trimEnd().split('\n'), problems };
};

describe('a page of orders that has a next page', () => {
  it('ends with a JSON object that contains the next cursor', async () => {
    const { out, problems } = await listed([{ orders: [ORDER], next: 'c-1' }], {}, true);
    expect([out.map((line) => JSON.parse(line) as object), problems]).toStrictEqual([
      [
        { version: 1, ...ORDER },
        { version: 1, next: 'c-1' },
      ],
      '',
    ]);
  });

  it('marks a page that is short because of the scan limit with isCutShort', async () => {
    const { out, problems } = await listed([{ orders: [], next: 'c-1', leftOut: 'orders' }], {}, true);
    expect([out.map((line) => JSON.parse(line) as object), problems]).toStrictEqual([[{ version: 1, next: 'c-1', isCutShort: true }], '']);
  });

  it('prints the next cursor to standard error without --json', async () => {
    expect((await listed([{ orders: [ORDER], next: 'c-1' }], {}, false)).problems).toBe('there are more: continue with --cursor c-1\n');
    expect((await listed([{ orders: [], next: 'c-1', leftOut: 'orders' }], { format: 'ndjson' }, false)).problems).toBe(
      'the page reached the limit of orders checked: continue with --cursor c-1\n',
    );
  });

  it('prints the CSV header once and no line for an empty page', async () => {
    const texts = ['order,amount\np-1,10.42\n', 'order,amount\n', 'order,amount\np-2,5.00\n', ''];
    const given = texts.map((text, index) => ({ orders: [], text, ...(index < 3 && { next: `c-${index}` }) }));
    const { out, problems } = await listed(given, { format: 'csv', all: true }, false);
    expect([out, problems]).toStrictEqual([['order,amount', 'p-1,10.42', 'p-2,5.00'], '']);
  });

  it('is followed by all further pages with --all, and the last page has no cursor', async () => {
    const { out, problems } = await listed([{ orders: [ORDER], next: 'c-1' }, { orders: [ORDER] }], { all: true }, true);
    expect([out.length, out.some((line) => line.includes('next')), problems]).toStrictEqual([2, false, '']);
    expect((await listed([{ orders: [] }], {}, true)).out).toStrictEqual(['[]']);
  });
});
