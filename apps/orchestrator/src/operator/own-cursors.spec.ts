import 'reflect-metadata';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import fc from 'fast-check';
import { writeCursor, type ListOrders, AuditService } from '@app/investigation';
import type { Operator } from '@app/configuration';
import { streamName } from '@app/event-store';
import { EndableDeadline, type Instant } from '@app/kernel';
import { FindCustomerRequest } from './operator-erasure.controller';
import { UnknownQuery } from './history.requests';
import { readAction } from './read-action';
import { InquireRequest } from './reconciliation.requests';
import { AuditController } from './audit.controller';
import { ListOrdersRequest, SearchOrdersRequest } from './list-orders.request';
import { readQuestion } from './question.pipe';

const JANE = { name: 'jane', role: 'investigator', tokenSha256: '' } as Operator;
const CARD = '4444333322221111';

/** Hex marks, most of which contain digits that resemble a card number. */
const mark = fc
  .tuple(
    fc.constantFrom(CARD, '632910981950', '6011000990139424', '5555555555554444', ''),
    fc.nat(12),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
  )
  .map(([digits, at, hex]) => (digits === '' ? hex : `${hex.slice(0, at)}a${digits}b${hex}`.slice(0, 32)));
const place = fc
  .tuple(fc.nat(4_102_444_800_000), fc.string())
  .map(([createdAt, id]) => ({ createdAt: createdAt as Instant, stream: streamName('payment', id) }));
const cursor = fc.tuple(place, mark).map(([one, text]) => writeCursor({ onceKey: () => text }, one, 'a question'));
const position = fc.oneof(
  fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n }).map(String),
  fc.constantFrom(CARD, '401234567891/401234567891', '6011000990139424/6011000990139424'),
);

const posted = (body: object, Message: new () => object) => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(JSON.stringify(body)));
  request.push(null);
  return readAction(request as Request, Message);
};

describe('a page cursor issued by the service', () => {
  it('is accepted in a list of orders even if its digits resemble a card number', async () => {
    await fc.assert(
      fc.asyncProperty(cursor, async (text) => {
        expect(await readQuestion(ListOrdersRequest, { url: `/audit/orders?cursor=${text}` })).toMatchObject({ cursor: text });
        expect(await posted({ cursor: text }, SearchOrdersRequest)).toMatchObject({ ok: { cursor: text } });
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted in a search for the orders of a payer', async () => {
    await fc.assert(
      fc.asyncProperty(position, async (after) => {
        expect(await posted({ merchant: 'acme', customer: 'jane@example.com', after }, FindCustomerRequest)).toHaveProperty('ok');
      }),
    );
  });

  it.each(['5', '4'.repeat(12)])('is accepted for unknown outcomes and gate inquiries (%s)', async (digits) => {
    const stream = `payment-${'a'.repeat(20)}${'5555555555554444'}${'a'.repeat(16)}`;
    expect(await readQuestion(UnknownQuery, { url: `/audit/orders/unknown?knownAt=2026-11-24T08:30Z&after=${stream}` })).toBeDefined();
    expect(await posted({ gate: 'sim-a', from: 0, before: 1, after: `${digits}@${stream}` }, InquireRequest)).toHaveProperty('ok');
    expect(await posted({ gate: 'sim-a', from: 0, before: 1, after: `${CARD}@${stream}` }, InquireRequest)).toHaveProperty('ok');
  });
});

it.each([`${CARD}`, `eA.${CARD}${CARD}`, `eA.a${CARD}${'b'.repeat(15)}`, `card ${CARD}`])(
  'rejects a forged cursor and does not record it (%s)',
  async (text) => {
    const recorded: unknown[] = [];
    const lists: Pick<ListOrders, 'page'> = { page: () => Promise.resolve(undefined) };
    const audit = { answered: (...what: unknown[]) => Promise.resolve(void recorded.push(what)) };
    const controller = new AuditController(new AuditService({ lists, audit } as never));
    const request = await readQuestion(ListOrdersRequest, { url: `/audit/orders?${new URLSearchParams({ cursor: text }).toString()}` });
    const { status, body } = await controller.list(request, JANE, new EndableDeadline());
    expect([status, body]).toStrictEqual([400, '{"error":"cursor must be the next of the previous page of the same query"}\n']);
    expect(recorded).toStrictEqual([]);
  },
);
