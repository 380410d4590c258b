import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { ClientWritableStream } from '@grpc/grpc-js';
import type { Appended, Conflict, Revision } from '../../../core/port';
import { exceptionOf, isDeadline, unheard, type CallError } from '../calls/failure';
import type { Connection } from '../calls/raw-client';
import type { TimeLimit } from '../calls/time-limit';

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly answer: Appended | Conflict }
  | { readonly kind: 'failed'; readonly error: CallError; readonly wasSent: boolean };

const conflict = (actual: 'no_stream' | bigint): Conflict => ({
  kind: 'conflict',
  actual: actual === 'no_stream' ? 'no_stream' : (actual as Revision),
});

/** The position may be missing, where the first time's event is hidden since; the revision is that of the first time. */
const answerOf = (response: AppendResp): Appended | Conflict | undefined => {
  const success = response.getSuccess();
  if (success !== undefined) return { kind: 'appended', revision: BigInt(success.getCurrentRevision()) as Revision };
  const wrong = response.getWrongExpectedVersion();
  if (wrong === undefined) return undefined;
  return conflict(wrong.hasCurrentRevision() ? BigInt(wrong.getCurrentRevision()) : 'no_stream');
};

/** The same refusal as a failed call, which other releases of the server answer with; its message is empty, its fields tell. */
const conflictIn = (error: CallError): Conflict | undefined => {
  if (exceptionOf(error) !== 'wrong-expected-version') return undefined;
  const actual = error.metadata?.getMap()['actual-version'];
  const revision = typeof actual === 'string' && /^-?\d+$/.test(actual) ? BigInt(actual) : -1n;
  return conflict(revision < 0n ? 'no_stream' : revision);
};

/** One attempt: one Append call, ended by its deadline or by the limit of the whole; never rejects. */
export const attemptAppend = async (
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
    const heardBefore = client.heardCount;
    let isSettled = false;
    const settle = (outcome: AttemptOutcome): void => {
      isSettled = true;
      limit.whenOver(undefined);
      resolve(outcome);
    };
    let call: ClientWritableStream<AppendReq> | undefined;
    const end = (error: CallError): void => {
      if (isSettled) return;
      const isUnheard = isDeadline(error) && client.heardCount === heardBefore;
      client.failed(streams, isUnheard ? unheard(error) : error);
      settle(failed(error, call !== undefined));
    };
    try {
      call = streams.append(...client.callArguments(deadlineMs), (error, response) => {
        if (error !== null) return end(error);
        client.heard();
        const answer = answerOf(response);
        if (answer === undefined) return end(new Error('the server answered neither success nor a wrong expected version'));
        settle({ kind: 'answered', answer });
      });
      const opened = call;
      opened.on('error', end);
      limit.whenOver(() => opened.cancel());
      // Within the limits of an append (1 MB) nothing is gained by waiting for each write.
      for (const message of messages) opened.write(message);
      opened.end();
    } catch (error) {
      end(error as Error);
    }
  });
};

/** Discovery may take longer than anybody waits; what it leads to is then not used. */
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
