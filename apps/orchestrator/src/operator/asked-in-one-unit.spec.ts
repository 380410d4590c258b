import 'reflect-metadata';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { EvidenceRequest } from './evidence.controller';
import { RouteQuestionRequest } from './operator.requests';
import { readAction } from './read-action';
import { ConfigurationRequest, listQuestion } from './audit.controller';
import { ListOrdersRequest, SearchOrdersRequest } from './list-orders.request';
import { readQuestion } from './question.pipe';

const A_TIME = 'must be a time with Z or an offset, such as 2026-11-24T08:30:00Z';
const AN_AMOUNT = 'must be in major units, such as 10.00';

const posted = (body: object, Message: new () => object = SearchOrdersRequest) => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(JSON.stringify(body)));
  request.push(null);
  return readAction(request as Request, Message);
};
const asked = (question: Readonly<Record<string, string>>): Promise<ListOrdersRequest> =>
  readQuestion(ListOrdersRequest, { url: `/audit/orders?${new URLSearchParams(question).toString()}` });

describe('an amount or a time in a JSON body', () => {
  it.each<[object, string]>([
    [{ amountFrom: 14, currency: 'USD' }, `amountFrom ${AN_AMOUNT}`],
    [{ amountTo: 1e15, currency: 'USD' }, `amountTo ${AN_AMOUNT}`],
    [{ amountTo: ['14'], currency: 'USD' }, `amountTo ${AN_AMOUNT}`],
    [{ amountFrom: null, currency: 'USD' }, `amountFrom ${AN_AMOUNT}`],
    [{ createdFrom: 0 }, `createdFrom ${A_TIME}`],
    [{ createdFrom: -5 }, `createdFrom ${A_TIME}`],
    [{ createdTo: 1_900_000_000_000 }, `createdTo ${A_TIME}`],
    [{ updatedFrom: false }, `updatedFrom ${A_TIME}`],
    [{ updatedTo: ['2026-11-24T08:30:00Z'] }, `updatedTo ${A_TIME}`],
  ])('returns 400 if it is not a string: %j', async (body, error) => {
    expect(await posted(body)).toStrictEqual({ refused: { status: 400, error } });
  });

  it.each([0, 1_900_000_000_000, null])('returns 400 for a non-string time of an evidence pack or a route request (%j)', async (at) => {
    expect(await posted({ reason: 'a dispute', at }, EvidenceRequest)).toStrictEqual({ refused: { status: 400, error: `at ${A_TIME}` } });
    expect(await posted({ endpoint: '1', amount: '1', at }, RouteQuestionRequest)).toStrictEqual({
      refused: { status: 400, error: `at ${A_TIME}` },
    });
  });

  it('accepts strings, and numbers for members without a unit', async () => {
    const body = { amountFrom: '14', amountTo: '14.5', currency: 'USD', createdFrom: '2026-11-24T08:30Z', limit: 5, code: 116 };
    const minor = { amountFrom: 1_400, amountTo: 1_450, createdFrom: Date.UTC(2026, 10, 24, 8, 30) };
    expect(await posted(body)).toMatchObject({ ok: { ...body, ...minor } });
  });
});

describe('a time in a request', () => {
  it.each([
    ['2026-11-24T08:30:00Z', '2026-11-24T08:30:00.000Z'],
    ['2026-11-24T08:30Z', '2026-11-24T08:30:00.000Z'],
    ['2026-11-24T08:30:00.5+02:00', '2026-11-24T06:30:00.500Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('has the same format in every request: %s', async (text, iso) => {
    const at = Date.parse(iso);
    for (const name of ['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'])
      expect(await asked({ [name]: text })).toMatchObject({ [name]: at });
    expect(await readQuestion(ConfigurationRequest, { url: `/?at=${encodeURIComponent(text)}` })).toMatchObject({ at });
    expect(await posted({ reason: 'a dispute', at: text }, EvidenceRequest)).toMatchObject({ ok: { at } });
    expect(await posted({ endpoint: '1', amount: '1', at: text }, RouteQuestionRequest)).toMatchObject({ ok: { at } });
  });

  it.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-24T24:00:00Z', '2026-11-24', '2026-11-24T08:30:00', 'noon', ''])(
    'is rejected if it does not exist or is ambiguous: %j',
    async (text) => {
      await expect(asked({ createdFrom: text })).rejects.toThrow(`createdFrom ${A_TIME}`);
      await expect(readQuestion(ConfigurationRequest, { url: `/?at=${text}` })).rejects.toThrow(`at ${A_TIME}`);
      expect(await posted({ endpoint: '1', amount: '1', at: text }, RouteQuestionRequest)).toStrictEqual({
        refused: { status: 400, error: `at ${A_TIME}` },
      });
    },
  );
});

describe('a range in a list request', () => {
  it.each<[Readonly<Record<string, string>>, string]>([
    [{ createdFrom: '2026-11-28T00:00:00Z', createdTo: '2026-11-27T00:00:00Z' }, 'createdFrom is later than createdTo'],
    [{ updatedFrom: '2026-11-28T00:00:00Z', updatedTo: '2026-11-27T00:00:00Z' }, 'updatedFrom is later than updatedTo'],
    [{ amountFrom: '2', amountTo: '1', currency: 'USD' }, 'amountFrom is more than amountTo'],
  ])('is rejected if it starts after its end: %j', async (question, error) => {
    const request = await asked(question);
    expect(() => listQuestion(request)).toThrow(error);
  });

  it('is accepted with equal bounds and with a single bound', async () => {
    const day = '2026-11-27T00:00:00Z';
    for (const question of [
      { createdFrom: day, createdTo: day },
      { updatedFrom: day },
      { amountFrom: '1', amountTo: '1', currency: 'USD' },
      { amountTo: '0', currency: 'USD' },
    ])
      expect(listQuestion(await asked(question))).toBeDefined();
  });
});

it.each(['ZZZ', 'XXX', 'usd', 'US', ''])('rejects an unknown currency: %j', async (currency) => {
  await expect(asked({ currency })).rejects.toThrow('currency must be a code of ISO 4217, such as USD');
});

it.each(['1.234', '-1', '1e5', '10,42', '0x10', '99999999999'])('rejects an amount that no order can have: %s', async (amountFrom) => {
  await expect(asked({ amountFrom, currency: 'USD' })).rejects.toThrow(`amountFrom ${AN_AMOUNT}`);
});
