import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { ResendRequest, ResolveRequest, RouteQuestionRequest } from './operator.requests';
import { readAction } from './read-action';
import { ApplyCaseRequest, CloseCaseRequest, InquireRequest, OpenCasesRequest } from './reconciliation.requests';
import { ReportRequest } from './operator-disputes.controller';

const read = (body: string, Message: new () => object = ResolveRequest) => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(body));
  request.push(null);
  return readAction(request as Request, Message);
};

describe('readAction', () => {
  it('returns an instance of the message class with the members of the body', async () => {
    await expect(read('{"as":"approved","reason":"seen at the bank"}')).resolves.toStrictEqual({
      ok: expect.objectContaining({ as: 'approved', reason: 'seen at the bank' }) as unknown,
    });
    await expect(read('{"as":"approved","reason":"x"}')).resolves.toHaveProperty('ok', expect.any(ResolveRequest));
  });

  it.each(['"1"', '0', '1.5', '1000001', '[]'])('rejects follow-up %s and states the valid range', async (followUp) => {
    await expect(read(`{"as":"approved","reason":"x","followUp":${followUp}}`)).resolves.toStrictEqual({
      refused: { status: 400, error: 'followUp must be a whole number from 1 to 1000000' },
    });
  });

  it.each([
    ['has a member twice', '{"as":"approved","as":"declined","reason":"x"}'],
    ['has a member twice by an escape', '{"as":"approved","a\\u0073":"declined","reason":"x"}'],
    ['has __proto__', '{"__proto__":{"as":"approved"},"reason":"x"}'],
    ['has a text that is no Unicode', '{"as":"approved","reason":"\\ud800"}'],
    ['has a number for a text', '{"as":"approved","reason":1}'],
    ['has a list for a text', '{"as":["approved"],"reason":["x"]}'],
    ['has an unknown member', '{"as":"approved","reason":"x","constructor":1}'],
    ['is nested too deeply', `{"as":"approved","reason":${'['.repeat(5_000)}`],
    ['is no JSON', 'as=approved'],
  ])('rejects a body that %s', async (_what, body) => {
    await expect(read(body)).resolves.toStrictEqual({ refused: { status: 400, error: expect.any(String) as string } });
  });
});

describe('a card number in an operator request', () => {
  const CARD = '4111 1111 1111 1111';
  const DIGITS = '4111111111111111';
  const FOUND = { kind: 'different', original: 'key-1', operation: 'sale', differences: [] };
  const cases = (found: object) => ({ gate: 'sim-a', source: 'file', cases: [FOUND, { ...FOUND, ...found }] });
  const REPORT = { kind: 'fraud-warning', case: 'CB-1' };

  it.each<[string, new () => object, object]>([
    ['reason', ResolveRequest, { as: 'approved', reason: `the payer read ${CARD} to us` }],
    ['reason', ResendRequest, { reason: DIGITS }],
    ['reason', CloseCaseRequest, { reason: 'card 4111-1111-1111-1111' }],
    ['reason', ApplyCaseRequest, { reason: '４１１１１１１１１１１１１１１１' }],
    ['gate', InquireRequest, { gate: DIGITS, from: 0, before: 1 }],
    ['customer', RouteQuestionRequest, { endpoint: '1', amount: '1', customer: `${DIGITS}@example.com` }],
    ['case', ReportRequest, { ...REPORT, case: DIGITS }],
    ['case', ReportRequest, { ...REPORT, case: '4111-1111-1111-1111', gate: 'sim-a' }],
    ['reasonCode', ReportRequest, { ...REPORT, reasonCode: DIGITS, gate: 'sim-a' }],
    ['cases: 1: original', OpenCasesRequest, cases({ original: CARD })],
    ['cases: 1: key', OpenCasesRequest, cases({ key: CARD })],
    ['cases: 1: order: orderId', OpenCasesRequest, cases({ order: { orderId: `order ${DIGITS}`, merchant: 'acme' } })],
    ['cases: 1: order: merchant', OpenCasesRequest, cases({ order: { orderId: 'x', merchant: DIGITS } })],
    ['cases: 1: differences: 0: ours', OpenCasesRequest, cases({ differences: [{ field: 'status', ours: CARD }] })],
    ['cases: 1: differences: 0: theirs', OpenCasesRequest, cases({ differences: [{ field: 'status', theirs: `${DIGITS}!` }] })],
    ['cases: 1: told: reference', OpenCasesRequest, cases({ told: { status: 'open', reference: '4111.1111.1111.1111' } })],
  ])('is rejected, and the error names only the member: %s', async (member, Message, body) => {
    await expect(read(JSON.stringify(body), Message)).resolves.toStrictEqual({
      refused: { status: 400, error: `${member} must not contain what looks like a card number` },
    });
  });

  it.each<[string, new () => object, object]>([
    ['a reference of a gate', OpenCasesRequest, cases({ original: DIGITS, told: { status: 'open', reference: DIGITS } })],
    ['what differs', OpenCasesRequest, cases({ differences: [{ field: 'gate-order-id', ours: DIGITS, theirs: `T-${DIGITS}` }] })],
    ['a sum in minor units', OpenCasesRequest, cases({ told: { status: 'open', amountMinor: DIGITS, commissionMinor: DIGITS } })],
    ['a digest', OpenCasesRequest, { ...cases({}), fileDigest: `${'a'.repeat(48)}${DIGITS}` }],
    ['the id of a case in a gate’s file', ReportRequest, { ...REPORT, case: DIGITS, gate: 'sim-a' }],
  ])('is not suspected in an unbroken digit sequence of %s', async (_, Message, body) => {
    await expect(read(JSON.stringify(body), Message)).resolves.toHaveProperty('ok');
  });
});
