import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { noFailpoints } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { GROUP_B_OPERATIONS } from '@app/gateway-protocol';
import { seededRandom, VirtualClock } from '@app/testing';
import { BodyReader } from './body-reader';
import { exchangeIn, type DeviceExchange } from './device.exchange';

const CARD_NUMBER = '4444333322221111';
const clock = new VirtualClock();
const bodies = new BodyReader({
  serials: { next: () => '00000000-0000-0000-0000-000000000001' },
  random: seededRandom(),
  failpoints: noFailpoints,
  deadlines: new RequestDeadlines(clock, clock),
  configuration: { groupB: { httpErrors: 'always-200' } },
  watch: { served: () => undefined, failed: () => undefined, signatureAmbiguous: () => undefined },
});

const exchangeOfSale = async (): Promise<DeviceExchange> => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'POST', params: { endpointId: '1001', invoiceId: 'inv-1' } });
  request.push(JSON.stringify({ sourceCard: { number: CARD_NUMBER } }));
  request.push(null);
  await bodies.read(GROUP_B_OPERATIONS['perform-sale'], request as Request, new ServerResponse(request) as Response);
  return exchangeIn({ getArgByIndex: () => request } as unknown as ExecutionContext);
};

describe('the exchange of a request', () => {
  it.each<[string, (exchange: DeviceExchange) => void]>([
    ['an answer', (exchange) => exchange.end({ kind: 'answer', body: {} })],
    ['an error', (exchange) => exchange.fail(new Error('a bug'))],
  ])('keeps no card number after %s, because a socket keeps its last request until the next one arrives', async (_end, end) => {
    const exchange = await exchangeOfSale();
    expect(inspect(exchange.json, { depth: 12 })).toContain(CARD_NUMBER);
    end(exchange);
    const bytes = [...Buffer.from(CARD_NUMBER)].map((byte) => byte.toString(16)).join(' ');
    const kept = inspect(exchange, { depth: 12, maxStringLength: null });
    expect(kept).not.toContain(bytes);
    expect(kept).not.toContain(CARD_NUMBER);
  });
});
