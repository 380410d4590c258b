import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendResp, type AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { eventually, settle, VirtualClock } from '@app/testing';
import { eventId } from '../../core/names-and-ids';
import { EventRefused, OutcomeUnknown, StoreUnavailable, type NewEvent, type Revision, type StreamName } from '../../core/port';
import { Appends } from './appends';
import { CALLS_MAX, CallSlots, TimeLimit } from './calls';
import type { CallError } from './failure';
import type { Connection } from './raw-client';

const STREAM = 'order-1' as StreamName;
const idOf = (name: string): NewEvent['id'] => eventId(STREAM, name, 0);
const event = (name: string): NewEvent => ({ id: idOf(name), type: 'Tested', data: `{"name":"${name}"}`, metadata: '{}' });
const ATTEMPT_MS = 1_000;
const LIMIT_MS = 10_000;

type Answer = CallError | AppendResp | 'none' | (() => CallError);

const failure = (code: number | undefined, details: string, fields: Record<string, string> = {}): CallError =>
  Object.assign(new Error(details), { ...(code !== undefined && { code, details }), metadata: { getMap: () => fields } });
const LOST = failure(14, 'read ECONNRESET');
const DENIED = failure(7, 'Access Denied', { exception: 'access-denied' });
const NOT_READY = failure(14, 'Server Is Not Ready');
const success = (revision: number, hasPosition = true): AppendResp => {
  const message = new AppendResp.Success().setCurrentRevision(String(revision));
  if (hasPosition) message.setPosition(new AppendResp.Position().setCommitPosition('7').setPreparePosition('7'));
  else message.setNoPosition(new Empty());
  return new AppendResp().setSuccess(message);
};
const wrongVersion = (current: number | 'no_stream'): AppendResp => {
  const message = new AppendResp.WrongExpectedVersion();
  if (current === 'no_stream') message.setCurrentNoStream(new Empty());
  else message.setCurrentRevision(String(current));
  return new AppendResp().setWrongExpectedVersion(message);
};

class FakeConnection implements Connection {
  readonly answers: Answer[] = [];
  readonly sent: (readonly AppendReq[])[] = [];
  readonly deadlinesMs: (number | undefined)[] = [];
  readonly failures: CallError[] = [];
  readonly silences: number[] = [];
  cancelled = 0;
  receivedCount = 0;
  discovery: Promise<void> = Promise.resolve();

  readonly #streams = {
    append: (_metadata: unknown, _options: unknown, done: (error: CallError | null, response?: AppendResp) => void) => {
      const messages: AppendReq[] = [];
      const answer = this.answers.shift() ?? LOST;
      return {
        on: () => undefined,
        write: (message: AppendReq) => messages.push(message),
        cancel: () => {
          this.cancelled += 1;
          done(failure(1, 'Cancelled on client'));
        },
        end: () => {
          this.sent.push(messages);
          if (answer === 'none') return;
          void Promise.resolve().then(() => {
            const told = typeof answer === 'function' ? answer() : answer;
            if (told instanceof Error) done(told);
            else done(null, told);
          });
        },
      };
    },
  } as unknown as StreamsClient;

  async streams(): Promise<StreamsClient> {
    await this.discovery;
    return this.#streams;
  }

  callArguments(deadlineMs?: number): ReturnType<Connection['callArguments']> {
    this.deadlinesMs.push(deadlineMs);
    return [{}, {}] as unknown as ReturnType<Connection['callArguments']>;
  }

  failed(_: StreamsClient, error: CallError): void {
    this.failures.push(error);
  }

  silent(_: StreamsClient, receivedBefore: number): void {
    this.silences.push(receivedBefore);
  }

  received(): void {
    this.receivedCount += 1;
  }
}

const setUp = (...answers: readonly Answer[]) => {
  const clock = new VirtualClock();
  const client = new FakeConnection();
  client.answers.push(...answers);
  const slots = new CallSlots();
  const appends = new Appends({ client, slots, scheduler: clock, server: 'es:2113', attemptMs: ATTEMPT_MS, limitMs: LIMIT_MS });
  const append = () => appends.append(STREAM, 4n as Revision, [event('a'), event('b')]);
  return { clock, client, slots, append };
};
const outcome = async <Result>(clock: VirtualClock, running: Promise<Result>): Promise<Result | Error> => {
  let isDone = false;
  const told = running.then(
    (result) => result,
    (error: unknown) => error as Error,
  );
  void told.then(() => (isDone = true));
  await settle();
  await clock.advanceUntil(() => isDone, 2 * LIMIT_MS);
  return told;
};

describe('Appends to EventStoreDB', () => {
  it('send the same stream, exact revision and events with the same ids in every attempt', async () => {
    const { clock, client, append } = setUp(LOST, NOT_READY, success(6));
    await expect(outcome(clock, append())).resolves.toStrictEqual({ kind: 'appended', revision: 6n });
    expect(client.sent).toHaveLength(3);
    for (const [header, ...messages] of client.sent) {
      expect(header?.getOptions()?.getRevision()).toBe('4');
      expect(messages.map((message) => message.getProposedMessage()?.getId()?.getString())).toStrictEqual([idOf('a'), idOf('b')]);
    }
    expect(client.deadlinesMs).toStrictEqual([ATTEMPT_MS, ATTEMPT_MS, ATTEMPT_MS]);
    expect(client.failures).toStrictEqual([LOST, NOT_READY]);
  });

  const LATE = failure(4, 'Deadline exceeded after 1.000s,LB pick: 0.001s,remote_addr=10.0.0.1:2113');

  it('report a deadline with the count of responses before the attempt, and no failure of the connection', async () => {
    const { clock, client, append } = setUp(() => {
      client.received();
      return LATE;
    }, success(6));
    client.receivedCount = 7;
    await outcome(clock, append());
    expect([client.failures, client.silences]).toStrictEqual([[], [7]]);
  });

  it('have 1, 2, 4 and 4 s in attempts after each other that are late, and 1 s again after another failure', async () => {
    const { clock, client, append } = setUp(LATE, LATE, LATE, LATE, LOST, LATE, success(6));
    await outcome(clock, append());
    expect(client.deadlinesMs).toStrictEqual([1_000, 2_000, 4_000, 4_000, 4_000, 1_000, 2_000]);
  });

  it('accept a success without a position', async () => {
    const { clock, append } = setUp(success(6, false));
    await expect(outcome(clock, append())).resolves.toStrictEqual({ kind: 'appended', revision: 6n });
  });

  it.each([
    ['the answer', wrongVersion(9), 9n],
    ['the answer, of no stream', wrongVersion('no_stream'), 'no_stream'],
    ['the fields of an error', failure(9, '', { exception: 'wrong-expected-version', 'actual-version': '9' }), 9n],
    ['the fields of an error, of no stream', failure(9, '', { exception: 'wrong-expected-version', 'actual-version': '-1' }), 'no_stream'],
    ['an error without that field', failure(9, '', { exception: 'wrong-expected-version' }), 'no_stream'],
  ] as const)('report a conflict from %s without another attempt', async (_, answer, actual) => {
    const { clock, client, append } = setUp(answer);
    await expect(outcome(clock, append())).resolves.toStrictEqual({ kind: 'conflict', actual });
    expect(client.sent).toHaveLength(1);
  });

  it.each([
    ['denied', [DENIED], StoreUnavailable, 1],
    ['denied after a lost answer', [LOST, DENIED], OutcomeUnknown, 2],
    ['too large for the server', [failure(3, 'Maximum', { exception: 'maximum-append-size-exceeded' })], EventRefused, 1],
    ['too large after a lost answer', [LOST, failure(3, 'Maximum', { exception: 'maximum-append-size-exceeded' })], OutcomeUnknown, 2],
    ['an unrecognised error', [failure(2, 'Exception was thrown by handler.')], OutcomeUnknown, 1],
    ['an empty response', [new AppendResp()], OutcomeUnknown, 1],
  ] as const)('end after the last attempt listed: %s', async (_, answers, Expected, sent) => {
    const { clock, client, append } = setUp(...answers);
    const startedAt = clock.now();
    await expect(outcome(clock, append())).resolves.toBeInstanceOf(Expected);
    expect(client.sent).toHaveLength(sent);
    expect(clock.now() - startedAt).toBeLessThan(100);
  });

  it('retry every 250 ms at most, and throw StoreUnavailable at the time limit', async () => {
    const { clock, client, append } = setUp(...Array.from({ length: 100 }, () => NOT_READY));
    const startedAt = clock.now();
    await expect(outcome(clock, append())).resolves.toBeInstanceOf(StoreUnavailable);
    expect(clock.now() - startedAt).toBe(LIMIT_MS);
    expect(client.sent.length).toBeGreaterThan(LIMIT_MS / 250);
    expect(client.sent.length).toBeLessThan(LIMIT_MS / 250 + 10);
  });

  it('cancel a call that never answers at the time limit, and throw OutcomeUnknown', async () => {
    const { clock, client, append } = setUp('none');
    await expect(outcome(clock, append())).resolves.toBeInstanceOf(OutcomeUnknown);
    expect(client.cancelled).toBe(1);
  });

  it('send nothing if discovery succeeds only after the time limit', async () => {
    const { clock, client, append } = setUp();
    let found: () => void = () => undefined;
    client.discovery = new Promise((resolve) => (found = resolve));
    const error = await outcome(clock, append());
    expect(error).toStrictEqual(new StoreUnavailable(`${STREAM}: event store es:2113: no usable node of the cluster was found`));
    found();
    await settle();
    expect(client.sent).toStrictEqual([]);
  });

  it('wait for a free call slot', async () => {
    const { clock, client, append } = setUp(...Array.from({ length: CALLS_MAX }, () => 'none' as const));
    const first = Array.from({ length: CALLS_MAX }, append);
    await eventually(() => client.sent.length === CALLS_MAX);
    await clock.advance(LIMIT_MS / 2);
    client.answers.push(success(6));
    const second = append();
    await settle();
    expect(client.sent).toHaveLength(CALLS_MAX);
    const outcomes = await Promise.all([...first.map((running) => outcome(clock, running)), outcome(clock, second)]);
    expect(outcomes.slice(0, CALLS_MAX).every((each) => each instanceof OutcomeUnknown)).toBe(true);
    expect(outcomes.at(-1)).toStrictEqual({ kind: 'appended', revision: 6n });
  });

  it('send nothing and throw StoreUnavailable if no call slot becomes free within the time limit', async () => {
    const { clock, client, slots, append } = setUp();
    const never = new TimeLimit(clock, LIMIT_MS);
    for (let call = 0; call < CALLS_MAX; call++) expect(slots.take(never)).toBe(true);
    await expect(outcome(clock, append())).resolves.toBeInstanceOf(StoreUnavailable);
    expect(client.sent).toStrictEqual([]);
    slots.give();
    client.answers.push(success(6));
    await expect(outcome(clock, append())).resolves.toStrictEqual({ kind: 'appended', revision: 6n });
  });
});
