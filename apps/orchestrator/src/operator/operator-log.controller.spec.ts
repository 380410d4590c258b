import 'reflect-metadata';
import type { Operator } from '@app/configuration';
import { EndableDeadline } from '@app/kernel';
import { type EventProofAnswer, type LogInspection, QueryAudit } from '@app/investigation';
import type { OperatorAudit } from '@app/investigation/record';
import { OperatorLogController } from './operator-log.controller';

const STREAM = `payment-${'a'.repeat(52)}`;
const ANN: Operator = { name: 'ann', role: 'investigator', tokenSha256: '' };
const deadline = new EndableDeadline();

type Recorded = Parameters<OperatorAudit['answered']>[1];
const open = (inspection: Partial<Record<keyof LogInspection, unknown>>) => {
  const recorded: Recorded[] = [];
  const questions = new QueryAudit({ answered: async (_by, what) => void recorded.push(what) }, { onceKey: () => 'd' });
  return { controller: new OperatorLogController(inspection as LogInspection, questions), recorded };
};
const jsonOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [status, JSON.parse(String(body)) as unknown];

describe('GET /log/proofs', () => {
  it.each<[EventProofAnswer, number, string]>([
    [{ reason: 'unknown-event' }, 404, 'not found'],
    [{ reason: 'not-covered', stream: STREAM as never }, 409, 'no checkpoint covers the event yet'],
    [{ reason: 'nothing-signed', stream: STREAM as never }, 409, 'no checkpoint was signed: set LOG_SIGNING_KEY'],
    [{ reason: 'event-differs', stream: STREAM as never }, 500, 'the event differs from the one that was signed: run orch log verify'],
  ])('answers %j with %i, and records the query', async (answer, status, error) => {
    const { controller, recorded } = open({ proof: async () => answer });
    const asked = await controller.proof({ stream: STREAM, revision: '3' }, ANN, deadline);
    expect(jsonOf(asked)).toStrictEqual([status, { error }]);
    expect(recorded).toMatchObject([{ query: 'prove-event', filters: ['revision', 'stream'], rows: status === 404 ? 0 : 1 }]);
    expect(recorded[0]?.target).toBe(status === 404 ? undefined : STREAM);
  });

  it.each([{ stream: STREAM }, { revision: '1' }, { stream: STREAM, revision: '1', position: '7' }, {}])(
    'refuses a query that does not name one event: %j',
    async (question) => {
      const { controller } = open({});
      const asked = await controller.proof(question, ANN, deadline);
      expect(jsonOf(asked)).toStrictEqual([400, { error: 'give either stream and revision, or position' }]);
    },
  );
});

it.each([
  ['4444333322221111', '0'],
  [STREAM, 'x'],
  [STREAM, '7'],
])('GET /audit/events/%s/%s of an unknown event answers 404 and records no text of the request', async (stream, revision) => {
  const { controller, recorded } = open({ event: async () => undefined });
  expect(jsonOf(await controller.event(stream, revision, ANN, deadline))).toStrictEqual([404, { error: 'not found' }]);
  expect(recorded).toStrictEqual([
    { query: 'show-event', role: 'investigator', filters: ['revision', 'stream'], digest: 'd', format: 'json', rows: 0 },
  ]);
});

it('GET /audit/events/{stream}/{revision} records the stream of the event', async () => {
  const { controller, recorded } = open({ event: async () => ({ stream: STREAM }) });
  expect(jsonOf(await controller.event(STREAM, '0', ANN, deadline))).toStrictEqual([200, { stream: STREAM }]);
  expect(recorded).toMatchObject([{ query: 'show-event', target: STREAM, rows: 1 }]);
});
