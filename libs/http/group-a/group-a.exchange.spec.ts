import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import type { Request, Response } from 'express';
import { noFailpoints } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { GROUP_A_OPERATIONS } from '@app/gateway-protocol';
import { VirtualClock } from '@app/testing';
import { exchangeIn, type GroupAExchange } from './group-a.exchange';
import { FormReader } from './form-reader';

const CARD_NUMBER = '4444333322221111';
const clock = new VirtualClock();
const forms = new FormReader({
  failpoints: noFailpoints,
  serials: { next: () => '00000000-0000-0000-0000-000000000001' },
  deadlines: new RequestDeadlines(clock, clock),
  watch: { served: () => undefined, failed: () => undefined },
});

const exchangeOfSale = async (): Promise<GroupAExchange> => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'POST', params: { endpointId: '1001' } });
  request.headers['content-type'] = 'application/x-www-form-urlencoded';
  request.push(`credit_card_number=${CARD_NUMBER}&cvv2=123`);
  request.push(null);
  await forms.read(GROUP_A_OPERATIONS.sale, request as Request, new ServerResponse(request) as Response);
  const exchange = exchangeIn(request as Request);
  if (exchange === undefined) throw new Error('no exchange');
  return exchange;
};

describe('the exchange of a request', () => {
  it.each<[string, (exchange: GroupAExchange) => void]>([
    ['an answer', (exchange) => exchange.answer({ kind: 'answer', pairs: [] })],
    ['an error', (exchange) => exchange.fail(new Error('a bug'))],
  ])('keeps no card number after %s, because a socket keeps its last request until the next one comes', async (_end, end) => {
    const exchange = await exchangeOfSale();
    expect(exchange.form.text('credit_card_number')).toBe(CARD_NUMBER);
    end(exchange);
    expect(() => exchange.form).toThrow();
    const bytes = [...Buffer.from(CARD_NUMBER)].map((byte) => byte.toString(16)).join(' ');
    expect(inspect(exchange, { depth: 12, maxStringLength: null })).not.toContain(bytes);
  });
});
