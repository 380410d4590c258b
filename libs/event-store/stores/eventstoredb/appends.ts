import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { ClientWritableStream } from '@grpc/grpc-js';
import type { NonEmpty, Scheduler } from '@app/kernel';
import {
  type Appended,
  type Conflict,
  type Revision,
  EventRefused,
  OutcomeUnknown,
  StoreUnavailable,
  type NewEvent,
  type StreamName,
} from '../../core/port';
import { exceptionOf, isDeadline, type CallError, describeFailure, isWorthRetrying, kindOf } from './failure';
import type { Connection } from './raw-client';
import { attemptTimeMs, TimeLimit, type CallSlots } from './calls';
import { backOffMs } from '../../core/back-off';
import { appendMessages } from './messages';

type AttemptOutcome =
  | { readonly kind: 'answered'; readonly answer: Appended | Conflict }
  | { readonly kind: 'failed'; readonly error: CallError; readonly wasSent: boolean };

const conflict = (actual: 'no_stream' | bigint): Conflict => ({
  kind: 'conflict',
  actual: actual === 'no_stream' ? 'no_stream' : (actual as Revision),
});

/** A retry returns the original revision. The position is not used, because it is missing if the event is hidden now. */
const answerOf = (response: AppendResp): Appended | Conflict | undefined => {
  const success = response.getSuccess();
  if (success !== undefined) return { kind: 'appended', revision: BigInt(success.getCurrentRevision()) as Revision };
  const wrong = response.getWrongExpectedVersion();
  if (wrong === undefined) return undefined;
  return conflict(wrong.hasCurrentRevision() ? BigInt(wrong.getCurrentRevision()) : 'no_stream');
};

/** Some server releases report a conflict as a failed call with an empty message. The trailers contain the revision. */
const conflictIn = (error: CallError): Conflict | undefined => {
  if (exceptionOf(error) !== 'wrong-expected-version') return undefined;
  const actual = error.metadata?.getMap()['actual-version'];
  const revision = typeof actual === 'string' && /^-?\d+$/.test(actual) ? BigInt(actual) : -1n;
  return conflict(revision < 0n ? 'no_stream' : revision);
};

/** Never rejects. The call ends by its own deadline or by the limit of all attempts. */
const attemptAppend = async (
  client: Connection,
  messages: readonly AppendReq[],
  deadlineMs: number,
  limit: TimeLimit,
): Promise<AttemptOutcome> => {
  const failed = (error: unknown, wasSent: boolean): AttemptOutcome => {
    const answer = conflictIn(error as CallError);
    return answer === undefined ? { kind: 'failed', error: error as CallError, wasSent } : { kind: 'answered', answer };
  };
  let streams: StreamsClient;
  try {
    streams = await withinLimit(client.streams(), limit);
  } catch (error) {
    return failed(error, false);
  }
  return new Promise((resolve) => {
    const receivedBefore = client.receivedCount;
    let isResolved = false;
    const finish = (outcome: AttemptOutcome): void => {
      isResolved = true;
      limit.whenOver(undefined);
      resolve(outcome);
    };
    let call: ClientWritableStream<AppendReq> | undefined;
    const end = (error: CallError): void => {
      if (isResolved) return;
      if (isDeadline(error)) client.silent(streams, receivedBefore);
      else client.failed(streams, error);
      finish(failed(error, call !== undefined));
    };
    try {
      call = streams.append(...client.callArguments(deadlineMs), (error, response) => {
        if (error !== null) return end(error);
        client.received();
        const answer = answerOf(response);
        if (answer === undefined) return end(new Error('the server answered neither success nor a wrong expected version'));
        finish({ kind: 'answered', answer });
      });
      const opened = call;
      opened.on('error', end);
      limit.whenOver(() => opened.cancel());
      // An append is small enough (1 MB) to write without back-pressure.
      for (const message of messages) opened.write(message);
      opened.end();
    } catch (error) {
      end(error as Error);
    }
  });
};

/** Discovery may outlast the limit. Its late result is ignored. */
const withinLimit = <Result>(promise: Promise<Result>, limit: TimeLimit): Promise<Result> =>
  new Promise((resolve, reject) => {
    limit.whenOver(() => reject(new Error('Failed to discover a node in time')));
    promise.then(
      (result) => {
        if (limit.isOver) return;
        limit.whenOver(undefined);
        resolve(result);
      },
      (error: Error) => {
        limit.whenOver(undefined);
        reject(error);
      },
    );
  });

interface AppendsSettings {
  readonly client: Connection;
  readonly slots: CallSlots;
  readonly scheduler: Scheduler;
  readonly server: string;
  readonly attemptMs: number;
  readonly limitMs: number;
}

/** No attempt starts with less time than this, and each ends this long before the limit: its own deadline gives a more precise outcome. */
const LAST_MS = 20;
const BACK_OFF_MIN_MS = 10;
const BACK_OFF_MAX_MS = 250;

/**
 * Every attempt uses the same ids and expected revision, so that the server recognises a retry (EventStoreDB notes, section 1, points 2 and
 * 3).
 */
export class Appends {
  readonly #settings: AppendsSettings;

  constructor(settings: AppendsSettings) {
    this.#settings = settings;
  }

  /** @throws StoreUnavailable no attempt can have been stored; OutcomeUnknown; EventRefused above the server's size limit */
  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    limitMsOfCaller = Number.POSITIVE_INFINITY,
  ): Promise<Appended | Conflict> {
    const { scheduler, server } = this.#settings;
    const limitMs = Math.min(this.#settings.limitMs, limitMsOfCaller);
    const messages = appendMessages(stream, expected, events);
    const limit = new TimeLimit(scheduler, limitMs);
    let mayBeStored = false;
    let lateInARow = 0;
    let fault = `event store ${server}: no answer within ${limitMs} ms`;
    const givenUp = (Otherwise: new (message: string) => Error = StoreUnavailable): Error =>
      mayBeStored ? new OutcomeUnknown(`${stream}: ${fault}`) : new Otherwise(`${stream}: ${fault}`);
    try {
      for (let tried = 1; limit.remainingMs > LAST_MS; tried++) {
        const outcome = await this.#attempt(messages, lateInARow, limit);
        if (outcome === 'no-slot') throw givenUp();
        if (outcome.kind === 'answered') return outcome.answer;
        const { error, wasSent } = outcome;
        fault = describeFailure(server, error);
        lateInARow = isDeadline(error) ? lateInARow + 1 : 0;
        const kind = kindOf(error);
        if (wasSent && (kind === 'lost' || kind === 'unrecognised')) mayBeStored = true;
        if (kind === 'too-large') throw givenUp(EventRefused);
        if (!isWorthRetrying(kind)) throw givenUp();
        await limit.pause(backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
      throw givenUp();
    } finally {
      limit.clear();
    }
  }

  async #attempt(messages: ReturnType<typeof appendMessages>, lateInARow: number, limit: TimeLimit): Promise<AttemptOutcome | 'no-slot'> {
    const { client, slots, attemptMs } = this.#settings;
    const taken = slots.take(limit);
    if (taken !== true && !(await taken)) return 'no-slot';
    try {
      const timeMs = Math.min(attemptTimeMs(attemptMs, lateInARow), Math.max(limit.remainingMs - LAST_MS, 1));
      return await attemptAppend(client, messages, timeMs, limit);
    } finally {
      slots.give();
    }
  }
}
