import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { readAction } from './read-action';
import { OpenCasesRequest } from './reconciliation.requests';

const asked = (body: object): Promise<unknown> => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(JSON.stringify(body)));
  request.push(null);
  return readAction(request as Request, OpenCasesRequest);
};

const FOUND = {
  kind: 'different',
  original: 'key-1',
  key: 'key-1',
  operation: 'sale',
  order: { orderId: 'pabcdefghijklmnr', merchant: 'acme' },
  differences: [{ field: 'status', ours: 'approved', theirs: 'declined' }],
  told: { status: 'declined', amountMinor: '1042', currency: 'USD', processedAt: 1_767_225_600_000, reference: 'key-1', line: 2 },
};
const REQUEST = { gate: 'sim-a', source: 'file', fileDigest: 'a'.repeat(64), cases: [FOUND], actor: 'kim' };

describe('a request to open cases', () => {
  it('accepts every member of a difference and omits optional ones', async () => {
    expect(JSON.parse(JSON.stringify(await asked(REQUEST)))).toStrictEqual({ ok: REQUEST });
    expect(
      await asked({ gate: 'sim-a', source: 'inquiry', cases: [{ ...FOUND, key: undefined, order: undefined, told: undefined }] }),
    ).toMatchObject({
      ok: { source: 'inquiry' },
    });
  });

  it("accepts another merchant's order name in any script", async () => {
    for (const original of ['заказ 7', '👛'.repeat(128)])
      expect(await asked({ ...REQUEST, cases: [{ ...FOUND, original }] })).toHaveProperty('ok');
  });

  it.each<[string, object, string]>([
    [
      'a name with a control character',
      { cases: [{ ...FOUND, original: 'a\u0085' }] },
      'cases: 0: original must have 1 to 128 characters, none of control',
    ],
    ['an unknown member', { more: 1 }, 'members are gate, source, fileDigest, cases, actor'],
    ['an invalid alias', { gate: '../x' }, 'gate must be an alias'],
    ['an invalid digest', { fileDigest: 'x' }, 'fileDigest must be a SHA-256 in hex'],
    ['no case', { cases: [] }, 'cases must have one at least'],
    ['too many cases', { cases: Array.from({ length: 21 }, () => FOUND) }, 'cases must be 20 at most'],
    ['an invalid case', { cases: [7] }, 'cases must be a list of objects'],
    ['an unknown member of a case', { cases: [{ ...FOUND, more: 1 }] }, 'cases: 0: property more should not exist'],
    [
      'an invalid kind',
      { cases: [{ ...FOUND, kind: 'odd' }] },
      'cases: 0: kind must be one of different, missing-here, missing-there, duplicate',
    ],
    [
      'an invalid amount',
      { cases: [{ ...FOUND, told: { ...FOUND.told, amountMinor: '-1' } }] },
      'cases: 0: told: amountMinor must be digits',
    ],
    [
      'an invalid time',
      { cases: [{ ...FOUND, told: { ...FOUND.told, processedAt: 1.5 } }] },
      'cases: 0: told: processedAt must be a time in milliseconds',
    ],
    ['an invalid field', { cases: [{ ...FOUND, differences: [{ field: 'odd' }] }] }, 'cases: 0: differences: 0: field must be one of'],
    ['a text for an order', { cases: [{ ...FOUND, order: 'x' }] }, 'cases: 0: order must be an object'],
    ['a list for an order', { cases: [{ ...FOUND, order: [FOUND.order] }] }, 'cases: 0: order must be an object'],
    ['a list instead of the reported values', { cases: [{ ...FOUND, told: [] }] }, 'cases: 0: told must be an object'],
    ['a list for a case', { cases: [[FOUND]] }, 'cases must be a list of objects'],
    ['a list for a difference', { cases: [{ ...FOUND, differences: [[]] }] }, 'cases: 0: differences must be a list of objects'],
  ])('returns 400 for %s', async (_, change, error) => {
    const refused = (await asked({ ...REQUEST, ...change })) as { readonly refused?: { readonly error: string; readonly status: number } };
    expect(refused.refused?.status).toBe(400);
    expect(refused.refused?.error).toContain(error);
  });
});
