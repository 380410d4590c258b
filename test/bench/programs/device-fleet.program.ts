import { performance } from 'node:perf_hooks';
import { ACME, TEST_CARD } from '../harness/acme';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import { Connection } from '../load/connection';
import type { DeviceSales, DeviceSalesResult } from '../load/device-sales';
import { httpGet, postJson } from '../load/http-request';

const { gatewayPath, merchantPath } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');

const { endpointId, currency } = ACME;
const OPENING_CONNECTIONS = 32;
const MICROSECONDS_PER_MS = 1_000;
const STATUSES_MAX = 1_000;
const TOKEN = /"token":"([^"]+)"/;
const STATE = /"state":"([A-Z_]+)"/;

const BIN = TEST_CARD.number.slice(0, 6);
const ACCOUNT_DIGITS = 9;
const AMOUNTS = 99_991;
const GATEWAY_PREFIX = '/paynet/';

interface OpenedInvoice {
  readonly serialNumber: string;
  readonly accessToken: string;
  readonly email: string;
  readonly amountCentis: number;
  readonly invoiceId: string;
  readonly nonce: string;
  readonly signature: string;
}

// A minor part of 19 or less makes the simulator decline or stay silent if there is no CVV (protocol decisions, section 9).
const amountCentisOf = (number: number): number => (10 + (number % AMOUNTS)) * 100 + 42;
const serialNumberOf = (number: number): string => `SN-${number}`;
const emailOf = (number: number): string => `consumer-${number}@example.com`;

const luhnDigit = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return String((10 - (sum % 10)) % 10);
};

const cardOf = (number: number): object => {
  const digits = BIN + number.toString().padStart(ACCOUNT_DIGITS, '0');
  return {
    number: digits + luhnDigit(digits),
    securityCode: TEST_CARD.cvv2,
    expiry: { month: Number(TEST_CARD.month), year: Number(TEST_CARD.year) },
    holder: { firstName: 'JOHN', lastName: 'SMITH' },
  };
};

/** A sale that the simulator approves, as an app sends it (interface, section 4.5). */
const performSale = (number: number, invoice: OpenedInvoice): string => {
  const { serialNumber, accessToken, email, amountCentis, invoiceId, nonce, signature } = invoice;
  return postJson(GATEWAY_PREFIX + gatewayPath.perform('sale', { endpointId, invoiceId }), {
    consumer: { device: { serialNumber, imei: '490154203237518' }, ipAddresses: ['192.0.2.1'], email, birthDay: '01021990' },
    session: { accessToken, nonce, signature },
    location: { lat: 59.437, lng: 24.7536 },
    billing: {
      address: { city: 'Springfield', country: 'USA', postcodeZip: '12345', state: 'CA', street: '1 Main Street' },
      phone: '+15550100',
    },
    order: { description: 'Two tickets', siteUrl: 'https://shop.example', purpose: 'tickets' },
    transaction: { currency, amountCentis },
    sourceOfFunds: { card: cardOf(number) },
  });
};

class Line {
  #onAnswer: (body: string) => void = () => undefined;
  #onError: (error: Error) => void = () => undefined;
  readonly #connection: Connection;

  constructor(port: number) {
    this.#connection = new Connection(
      port,
      (status, body) => {
        if (status === '200') this.#onAnswer(body);
        else this.#onError(new Error(`answered ${status}: ${body.slice(0, 300)}`));
      },
      (error) => this.#onError(error),
    );
  }

  ask(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#onAnswer = resolve;
      this.#onError = reject;
      this.#connection.send(request);
    });
  }

  close(): void {
    this.#connection.close();
  }
}

const overLines = async (port: number, lines: number, jobs: number, run: (line: Line, job: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const work = async (): Promise<void> => {
    const line = new Line(port);
    try {
      while (next < jobs) await run(line, next++);
    } finally {
      line.close();
    }
  };
  await Promise.all(Array.from({ length: lines }, work));
};

const opened = async (line: Line, number: number): Promise<OpenedInvoice> => {
  const email = emailOf(number);
  const serialNumber = serialNumberOf(number);
  const amountCentis = amountCentisOf(number);
  const issued = await line.ask(httpGet(`/${merchantPath.accessToken()}?${new URLSearchParams({ email }).toString()}`));
  const { accessToken } = (JSON.parse(issued) as { session: { accessToken: string } }).session;
  const initiate = {
    consumer: { device: { serialNumber } },
    session: { accessToken },
    transaction: { currency, amountCentis },
  };
  const answer = JSON.parse(await line.ask(postJson(`/${merchantPath.initiate('sale')}`, initiate))) as {
    endpointId: string;
    invoiceId: string;
    session: { nonce: string; signature: string };
  };
  if (answer.endpointId !== endpointId) throw new Error(`the merchant server names endpoint ${answer.endpointId}`);
  return { serialNumber, accessToken, email, amountCentis, invoiceId: answer.invoiceId, ...answer.session };
};

const statusAround = ({ invoiceId, accessToken }: OpenedInvoice): ((token: string) => string) => {
  const path = GATEWAY_PREFIX + gatewayPath.status('sale', { endpointId, invoiceId });
  return (token) => postJson(path, { session: { accessToken, token } });
};

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const sell = async ({ gatewayPort, merchantPort, from, sales, devices, askAgainMs }: DeviceSales): Promise<DeviceSalesResult> => {
  const invoices: OpenedInvoice[] = [];
  await overLines(merchantPort, OPENING_CONNECTIONS, sales, async (line, job) => {
    invoices[job] = await opened(line, from + job);
  });
  const prepared = invoices.map((invoice, index) => ({
    perform: performSale(from + index, invoice),
    status: statusAround(invoice),
  }));
  const flowMs: number[] = [];
  const performMs: number[] = [];
  let statuses = 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await overLines(gatewayPort, devices, sales, async (line, job) => {
    const sale = prepared[job];
    if (sale === undefined) throw new Error('there is no sale to make');
    const sentAt = performance.now();
    const [, token] = TOKEN.exec(await line.ask(sale.perform)) ?? [];
    performMs.push(performance.now() - sentAt);
    if (token === undefined) throw new Error('perform was answered without a token');
    const status = sale.status(token);
    for (let asked = 0; ; asked++) {
      if (asked === STATUSES_MAX) throw new Error('a sale came to no end');
      await delay(askAgainMs);
      statuses += 1;
      const answer = await line.ask(status);
      const [, state] = STATE.exec(answer) ?? [];
      if (state === 'APPROVED') break;
      if (state !== 'PROCESSING') throw new Error(`a sale ended otherwise: ${answer.slice(0, 300)}`);
    }
    flowMs.push(performance.now() - sentAt);
  });
  const { user, system } = process.cpuUsage(cpu);
  return {
    elapsedMs: performance.now() - startedAt,
    flowMs,
    performMs,
    statuses,
    generatorCpuMs: (user + system) / MICROSECONDS_PER_MS,
  };
};

answerQuestions(sell);
