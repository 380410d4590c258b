import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { Request, Response } from 'express';
import { noFailpoints } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { GROUP_A_OPERATIONS } from '@app/gateway-protocol';
import { seededRandom, VirtualClock } from '@app/testing';
import { GroupAExchange } from './group-a.exchange';

const CARD_NUMBER = '4444333322221111';
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

const exchangeOfSale = async (): Promise<GroupAExchange> => {
  const request = new IncomingMessage(new Socket()) as Request;
  Object.assign(request, { params: { endpointId: '1001' } });
  request.headers['content-type'] = 'application/x-www-form-urlencoded';
  const response = new ServerResponse(request) as Response;
  const arrived = { operation: GROUP_A_OPERATIONS.sale, request, response, releaseBody: () => undefined, startedAt: 0 };
  const exchange = new GroupAExchange(arrived, ports);
  await exchange.receive({ kind: 'read', body: Buffer.from(`credit_card_number=${CARD_NUMBER}&cvv2=123`) });
  return exchange;
};

describe('the exchange of a request', () => {
  it.each<[string, (exchange: GroupAExchange) => void]>([
    ['an answer', (exchange) => exchange.answer({ kind: 'answer', pairs: [] })],
    ['an error', (exchange) => exchange.fail(new Error('a bug'))],
  ])('drops the card number after %s, because the socket keeps the request until the next one', async (_end, end) => {
    const exchange = await exchangeOfSale();
    expect(exchange.form.text('credit_card_number')).toBe(CARD_NUMBER);
    end(exchange);
    expect(() => exchange.form).toThrow();
    const bytes = [...Buffer.from(CARD_NUMBER)].map((byte) => byte.toString(16)).join(' ');
    expect(inspect(exchange, { depth: 12, maxStringLength: null })).not.toContain(bytes);
  });
});
