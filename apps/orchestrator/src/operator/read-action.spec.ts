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

describe('the message of an action', () => {
  it('is an instance of its class with the members of the body', async () => {
    await expect(read('{"as":"approved","reason":"seen at the bank"}')).resolves.toStrictEqual({
      ok: expect.objectContaining({ as: 'approved', reason: 'seen at the bank' }) as unknown,
    });
    await expect(read('{"as":"approved","reason":"x"}')).resolves.toHaveProperty('ok', expect.any(ResolveRequest));
  });

  it.each(['"1"', '0', '1.5', '1000001', '[]'])(
    'is refused where it names follow-up %s, with the numbers that would be taken',
    async (followUp) => {
      await expect(read(`{"as":"approved","reason":"x","followUp":${followUp}}`)).resolves.toStrictEqual({
        refused: { status: 400, error: 'followUp must be a whole number from 1 to 1000000' },
      });
    },
  );

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
  ])('is refused where it %s', async (_what, body) => {
    await expect(read(body)).resolves.toStrictEqual({ refused: { status: 400, error: expect.any(String) as string } });
  });
});
