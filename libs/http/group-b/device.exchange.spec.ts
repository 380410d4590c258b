import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { Request, Response } from 'express';
import { noFailpoints } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { GROUP_B_OPERATIONS } from '@app/gateway-protocol';
import { seededRandom, VirtualClock } from '@app/testing';
import { DeviceExchange, isInvoiceId } from './device.exchange';

const CARD_NUMBER = '4444333322221111';
const HOLDER = 'KIM LEE';
const clock = new VirtualClock();
const ports = {
  serials: { next: () => '00000000-0000-0000-0000-000000000001' },
  clock,
  random: seededRandom(),
  failpoints: noFailpoints,
  deadlines: new RequestDeadlines(clock, clock),
  configuration: { groupB: { httpErrors: 'always-200' } },
  listener: { served: () => undefined, failed: () => undefined },
} as const;

const SALE = {
  consumer: { device: { serialNumber: 'SN-1' }, email: 'kim@example.com' },
  session: { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64), signature: 'S'.repeat(40) },
  transaction: { currency: 'USD', amountCentis: 1_042 },
  sourceOfFunds: {
    card: { number: CARD_NUMBER, expiry: { month: 12, year: 2030 }, holder: { printedName: HOLDER }, securityCode: '123' },
  },
};

const exchangeOfSale = async (): Promise<DeviceExchange> => {
  const request = new IncomingMessage(new Socket()) as Request;
  Object.assign(request, { params: { endpointId: '1001', invoiceId: 'inv-1' } });
  const response = new ServerResponse(request) as Response;
  const arrived = { operation: GROUP_B_OPERATIONS['perform-sale'], request, response, releaseBody: () => undefined, startedAt: 0 };
  const exchange = new DeviceExchange(arrived, ports);
  await exchange.receive({ kind: 'read', body: Buffer.from(JSON.stringify(SALE)) });
  return exchange;
};

describe('the exchange of a request', () => {
  it.each<[string, (exchange: DeviceExchange) => void]>([
    ['an answer', (exchange) => exchange.answer({ kind: 'answer', body: {} })],
    ['an error', (exchange) => exchange.fail(new Error('a bug'))],
  ])('drops the card number after %s, because the socket keeps the request until the next one', async (_end, end) => {
    const exchange = await exchangeOfSale();
    expect(inspect(exchange.request, { depth: 12 })).toContain(HOLDER);
    end(exchange);
    const bytes = [...Buffer.from(CARD_NUMBER)].map((byte) => byte.toString(16)).join(' ');
    const kept = inspect(exchange, { depth: 12, maxStringLength: null });
    expect(kept).not.toContain(bytes);
    expect(kept).not.toContain(CARD_NUMBER);
    expect(kept).not.toContain(HOLDER);
    expect(exchange.request).toBeUndefined();
  });
});

describe('the invoice id of a path (safety, T4 and T18)', () => {
  it.each(['1', 'inv/1 é', '💳', '...', 'x'.repeat(128)])('is valid: %j', (text) => expect(isInvoiceId(text)).toBe(true));

  it.each(['', '.', '..', 'x'.repeat(129), 'a\nb', 'a\u0000', '\u007f', '\u0085', 'a\ud83d', '\udcb3'])('is invalid: %j', (text) =>
    expect(isInvoiceId(text)).toBe(false),
  );
});
