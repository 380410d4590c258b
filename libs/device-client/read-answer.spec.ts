import { eventually } from '@app/testing';
import * as parties from './testing';
import { closeWorlds, sale, TIMEOUT_MS, world } from './testing/world/device-world';
import { ANSWER_BYTES_MAX } from './transport';

afterEach(closeWorlds);

describe('a response is interpreted by its body, regardless of the HTTP status (protocol decisions, section 8)', () => {
  const answerTo = async (reply: parties.Reply) => (await world({ merchant: () => reply })).session.initiate(sale);
  const error = { cause: 'FILTERED', code: '12', message: 'not today' };
  const invoice = { endpointId: '4711', invoiceId: 'i-1', session: { nonce: parties.NONCE, signature: parties.SIGNATURE } };

  it.each([200, 400, 403, 500, 503])('an error body with HTTP %d is a refusal [W92, W422]', async (status) => {
    expect(await answerTo({ json: { error }, status })).toStrictEqual({ kind: 'refused', ...error });
  });

  it.each([200, 302, 500])('a valid body with HTTP %d is an answer [W422]', async (status) => {
    expect((await answerTo({ json: invoice, status })).kind).toBe('answered');
  });

  it('an empty 403 is forbidden [W420]', async () => {
    expect(await answerTo({ text: '', status: 403 })).toStrictEqual({ kind: 'forbidden' });
  });

  it.each<[string, parties.Reply, number, string]>([
    ['an empty 200', { text: '' }, 200, 'body is empty'],
    ['a page', { text: '<html>Forbidden</html>', status: 403 }, 403, 'body must be JSON in UTF-8'],
    ['no object', { json: [invoice] }, 200, 'body must be an object'],
    ['a redirect', { text: '', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 302, 'body is empty'],
    ['a compressed body', { text: '\u001f\u008b', headers: { 'content-encoding': 'gzip' } }, 200, 'body must be JSON in UTF-8'],
    ['a key given twice', { text: '{"endpointId":"1","endpointId":"2"}' }, 200, 'body must not hold a key twice'],
    ['a missing member', { json: { ...invoice, session: { nonce: parties.NONCE } } }, 200, 'session.signature is required'],
    ['an invoice that is a path', { json: { ...invoice, invoiceId: '..' } }, 200, 'invoiceId must not be . or ..'],
    [
      'a cause of another operation',
      { json: { error: { ...error, cause: 'ORDER_NOT_FOUND' } } },
      200,
      expect.stringContaining('error.cause'),
    ],
    ['more than the cap', { text: 'x'.repeat(ANSWER_BYTES_MAX + 1) }, 200, `body is larger than ${ANSWER_BYTES_MAX} bytes`],
  ])('%s is malformed, and the outcome does not quote it [W422]', async (_case, reply, httpStatus, fault) => {
    expect(await answerTo(reply)).toStrictEqual({ kind: 'malformed', httpStatus, fault });
  });

  it('a body of the maximum size is read', async () => {
    const padded = JSON.stringify({ ...invoice, pad: '' });
    const text = JSON.stringify({ ...invoice, pad: 'x'.repeat(ANSWER_BYTES_MAX - padded.length) });
    expect(text).toHaveLength(ANSWER_BYTES_MAX);
    expect((await answerTo({ text })).kind).toBe('answered');
  });

  it('an address without a listener is unreachable', async () => {
    const gone = await parties.ScriptedServer.open(() => undefined);
    const { url } = gone;
    await gone.close();
    const { session } = await world({}, { merchantUrl: url });
    expect(await session.initiate(sale)).toStrictEqual({ kind: 'no-answer', reason: 'unreachable', code: 'ECONNREFUSED' });
  });

  it('a request without a response ends at the deadline', async () => {
    const { session, clock, both } = await world({ merchant: () => 'silent' });
    const outcome = session.initiate(sale);
    await eventually(() => both.merchant.received.length === 1);
    await clock.advance(TIMEOUT_MS - 1);
    expect(await Promise.race([outcome, Promise.resolve('waiting')])).toBe('waiting');
    await clock.advance(1);
    expect(await outcome).toStrictEqual({ kind: 'no-answer', reason: 'timed-out' });
  });
});
