import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { ResolveRequest } from './operator.requests';
import { readAction } from './read-action';

const read = (body: string) => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/json';
  request.push(Buffer.from(body));
  request.push(null);
  return readAction(request as Request, ResolveRequest);
};

describe('what an operator wants done', () => {
  it('is read member by member', async () => {
    await expect(read('{"as":"approved","reason":"seen at the bank"}')).resolves.toStrictEqual({
      ok: expect.objectContaining({ as: 'approved', reason: 'seen at the bank' }) as unknown,
    });
  });

  it.each([
    ['says twice how the order ended', '{"as":"approved","as":"declined","reason":"x"}'],
    ['says it twice by an escape', '{"as":"approved","a\\u0073":"declined","reason":"x"}'],
    ['brings the object’s own machinery', '{"__proto__":{"as":"approved"},"reason":"x"}'],
    ['has a reason that is no Unicode', '{"as":"approved","reason":"\\ud800"}'],
    ['is deeper than anything it could be', `{"as":"approved","reason":${'['.repeat(5_000)}`],
    ['is no JSON', 'as=approved'],
  ])('is refused where it %s', async (_what, body) => {
    await expect(read(body)).resolves.toStrictEqual({ refused: { status: 400, error: expect.any(String) as string } });
  });
});
