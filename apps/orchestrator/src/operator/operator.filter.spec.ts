import { BrokenChain, StoreUnavailable, type StoredEvent } from '@app/event-store';
import { CannotApply } from '@app/read-models';
import { OperatorFilter } from './operator.filter';

const answerTo = (error: Error): { readonly status: number | undefined; readonly body: string } => {
  const sent: { status: number | undefined; body: string } = { status: undefined, body: '' };
  const response = {
    setHeader: () => response,
    writeHead: (status: number) => {
      sent.status = status;
      return response;
    },
    end: (body: string | Buffer) => {
      sent.body = String(body);
      return response;
    },
  };
  new OperatorFilter().catch(error as never, { switchToHttp: () => ({ getResponse: () => response }) } as never);
  return sent;
};

it('returns 500 with the position of a broken hash chain and no event data', () => {
  const event = { stream: 'payment-a', revision: 3n, position: '7', data: '{"secret":1}' } as unknown as StoredEvent;
  const { status, body } = answerTo(new BrokenChain(event, 'its hash is not the one that the next names'));
  expect([status, JSON.parse(body)]).toStrictEqual([
    500,
    { error: 'the hash chain of payment-a is broken at revision 3: run orch log verify' },
  ]);
});

it('returns 500 with the reason if events of a record contradict each other', () => {
  const { status, body } = answerTo(new CannotApply('AttemptStarted at a gate that the plan does not have'));
  expect([status, JSON.parse(body)]).toStrictEqual([
    500,
    {
      error: 'the events of this record contradict each other (AttemptStarted at a gate that the plan does not have): run orch log verify',
    },
  ]);
});

it('returns 503 for an unavailable store without its address', () => {
  const { status, body } = answerTo(new StoreUnavailable('postgres://user@host does not answer'));
  expect([status, JSON.parse(body)]).toStrictEqual([503, { error: 'a store does not respond, nothing was done' }]);
});
