import { shared, streams } from '@app/event-store/stores/eventstoredb/wire';
import { CallEnded, type GrpcCall } from '../grpc/grpc-call';
import { appendTooLarge, cancelled, commitTimedOut, notLeader, notReady, streamDeleted } from '../grpc/grpc-failure';
import type { ProposedEvent } from '../log/log-record';
import type { ExpectedRevision, WriteOutcome } from '../log/log-writer';
import { assertMayAnswer, type Node } from '../node';
import { APPEND_DATA_BYTES_LIMIT, isTooLarge, proposedEvent, streamNameOf } from './proposed-event';

type Call = GrpcCall<streams.AppendReq, streams.AppendResp>;

export const expectedOf = (
  options: streams.AppendReq.Options | streams.DeleteReq.Options | streams.TombstoneReq.Options,
): ExpectedRevision => {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasRevision() ? BigInt(options.getRevision()) : 'any';
};

const success = (revision: bigint, position: bigint | undefined): streams.AppendResp => {
  const message = new streams.AppendResp.Success();
  if (revision < 0n) message.setNoStream(new shared.Empty());
  else message.setCurrentRevision(`${revision}`);
  if (position === undefined) message.setNoPosition(new shared.Empty());
  else message.setPosition(new streams.AppendResp.Position().setCommitPosition(`${position}`).setPreparePosition(`${position}`));
  return new streams.AppendResp().setSuccess(message);
};

const wrongVersion = (expected: ExpectedRevision, actual: bigint): streams.AppendResp => {
  const message = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0n) message.setCurrentNoStream(new shared.Empty());
  else message.setCurrentRevision(`${actual}`);
  if (expected === 'any') message.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') message.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') message.setExpectedStreamExists(new shared.Empty());
  else message.setExpectedRevision(`${expected}`);
  return new streams.AppendResp().setWrongExpectedVersion(message);
};

const answer = async (call: Call, stream: string, expected: ExpectedRevision, outcome: WriteOutcome): Promise<void> => {
  switch (outcome.kind) {
    case 'written':
      call.send(success(outcome.revision, outcome.position));
      return call.end();
    case 'wrong-version':
      call.send(wrongVersion(expected, outcome.actual));
      return call.end();
    case 'deleted':
      return call.fail(streamDeleted(stream));
    case 'unanswered':
      return call.closed();
  }
};

export const append =
  (node: Node) =>
  async (call: Call): Promise<void> => {
    assertMayAnswer(node, call.metadata);
    let options: streams.AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    for await (const request of call.requests()) {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedEvent(message));
    }
    if (!call.isOpen || options === undefined) throw new CallEnded();
    const stream = streamNameOf(options.getStreamIdentifier());
    if (isTooLarge(events)) throw appendTooLarge(APPEND_DATA_BYTES_LIMIT);
    const expected = expectedOf(options);
    const write = (): WriteOutcome => node.writer().append(stream, expected, events);
    const fault = node.faults.takeAppend(stream);
    switch (fault?.kind) {
      case undefined:
        return answer(call, stream, expected, write());
      case 'not-leader':
        throw notLeader(fault.leader);
      case 'unavailable':
        throw notReady();
      case 'cancelled':
        throw cancelled();
      case 'commit-timeout':
        write();
        throw commitTimedOut();
      case 'hang':
        if (fault.isStored) write();
        return call.closed();
      case 'half-close':
        if (fault.isStored) write();
        return call.reset();
      case 'connection-lost':
        if (fault.isStored) write();
        return call.breakConnection();
    }
  };
