import type { EgressOutcome } from '@app/http/client';
import { tryResultOf, type TryResult } from './deliver-callback.reactor';

describe('the result of a callback attempt (protocol decisions 6)', () => {
  it('treats 200 with any body as delivered [W329]', () => {
    expect(tryResultOf({ kind: 'answered', status: 200, body: 'ERROR' })).toStrictEqual({ kind: 'delivered', status: 200 });
    expect(tryResultOf({ kind: 'answered', status: 200 })).toStrictEqual({ kind: 'delivered', status: 200 });
  });

  it.each([100, 199, 201, 202, 204, 206, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 502, 503])('%i is retried [W329]', (status) => {
    expect(tryResultOf({ kind: 'answered', status, body: 'OK' })).toStrictEqual({ kind: 'failed', failure: { cause: 'answered', status } });
  });

  it.each<[EgressOutcome, TryResult]>([
    [{ kind: 'timed-out' }, { kind: 'failed', failure: { cause: 'timed-out' } }],
    [
      { kind: 'connection-failed', code: 'ECONNRESET' },
      { kind: 'failed', failure: { cause: 'connection-failed', code: 'ECONNRESET' } },
    ],
    [
      { kind: 'refused-target', reason: 'metadata' },
      { kind: 'failed', failure: { cause: 'refused-target', reason: 'metadata' } },
    ],
    [{ kind: 'answer-too-large' }, { kind: 'failed', failure: { cause: 'answer-too-large' } }],
    [{ kind: 'answer-malformed' }, { kind: 'failed', failure: { cause: 'answer-malformed' } }],
    [
      { kind: 'not-sent', cause: 'malformed-request' },
      { kind: 'failed', failure: { cause: 'malformed-request' } },
    ],
  ])('treats %j as a failed attempt', (outcome, result) => expect(tryResultOf(outcome)).toStrictEqual(result));

  it.each(['overloaded', 'closed'] as const)('does not count a call that our side did not send (%s) as an attempt', (cause) => {
    expect(tryResultOf({ kind: 'not-sent', cause })).toStrictEqual({ kind: 'not-sent', cause });
  });
});
