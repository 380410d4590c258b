import { Any, shared, status, streams } from '@app/event-store/stores/eventstoredb/wire';
import type { GrpcCall } from '../grpc/grpc-call';
import { cancelled, GrpcCode, notLeader } from '../grpc/grpc-failure';
import type { ProposedEvent } from '../log/log-record';
import type { ExpectedRevision, WriteOutcome } from '../log/log-writer';
import { assertMayAnswer, type Node } from '../node';
import { APPEND_DATA_BYTES_LIMIT, BadRequest, isTooLarge, proposedEvent, streamNameOf } from './proposed-event';
import { streamIdentifier } from './recorded-event';

type Call = GrpcCall<streams.BatchAppendReq, streams.BatchAppendResp>;
type Options = streams.BatchAppendReq.Options;

interface Batch {
  readonly correlationId: shared.UUID;
  readonly options: Options;
  readonly messages: streams.BatchAppendReq.ProposedMessage[];
}

const CLIENT_PACKAGE = 'event_store.client';

const expectedOf = (options: Options): ExpectedRevision => {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasStreamPosition() ? BigInt(options.getStreamPosition()) : 'any';
};

const failure = (code: GrpcCode, message: string, detailsName: string, details: { serializeBinary(): Uint8Array }): status.Status => {
  const any = new Any();
  any.pack(details.serializeBinary(), detailsName);
  return new status.Status().setCode(code).setMessage(message).setDetails(any);
};
const named = (code: GrpcCode, name: string, details: { serializeBinary(): Uint8Array }): status.Status =>
  failure(code, name, `${CLIENT_PACKAGE}.${name}`, details);

const wrongVersion = (expected: ExpectedRevision, actual: bigint): status.Status => {
  const details = new shared.WrongExpectedVersion();
  if (actual < 0n) details.setCurrentNoStream(new shared.Empty());
  else details.setCurrentStreamRevision(`${actual}`);
  if (expected === 'any') details.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') details.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new shared.Empty());
  else details.setExpectedStreamPosition(`${expected}`);
  return named(GrpcCode.failedPrecondition, 'WrongExpectedVersion', details);
};

const deleted = (stream: string): status.Status => {
  const details = new shared.StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
  return named(GrpcCode.failedPrecondition, 'StreamDeleted', details);
};

const tooLarge = (): status.Status => {
  const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(APPEND_DATA_BYTES_LIMIT);
  return named(GrpcCode.invalidArgument, 'MaximumAppendSizeExceeded', details);
};

const timedOut = (): status.Status => named(GrpcCode.aborted, 'Timeout', new shared.Timeout());
const badRequest = (): status.Status => named(GrpcCode.invalidArgument, 'BadRequest', new shared.BadRequest());
const notReady = (): status.Status => failure(GrpcCode.unavailable, 'Server Is Not Ready', 'google.protobuf.Empty', new shared.Empty());

const success = (revision: bigint, position: bigint | undefined): streams.BatchAppendResp.Success => {
  const message = new streams.BatchAppendResp.Success();
  if (revision < 0n) message.setNoStream(new shared.Empty());
  else message.setCurrentRevision(`${revision}`);
  if (position === undefined) message.setNoPosition(new shared.Empty());
  else message.setPosition(new shared.AllStreamPosition().setCommitPosition(`${position}`).setPreparePosition(`${position}`));
  return message;
};

const respond = (call: Call, { correlationId, options }: Batch, result: status.Status | streams.BatchAppendResp.Success): void => {
  const response = new streams.BatchAppendResp().setCorrelationId(correlationId);
  response.setStreamIdentifier(options.getStreamIdentifier());
  if (result instanceof status.Status) response.setError(result);
  else response.setSuccess(result);
  call.send(response);
};

const respondTo = (call: Call, batch: Batch, stream: string, expected: ExpectedRevision, outcome: WriteOutcome): void => {
  switch (outcome.kind) {
    case 'written':
      return respond(call, batch, success(outcome.revision, outcome.position));
    case 'wrong-version':
      return respond(call, batch, wrongVersion(expected, outcome.actual));
    case 'deleted':
      return respond(call, batch, deleted(stream));
    case 'unanswered':
      return;
  }
};

/** A malformed append is answered at once and again at its timeout, which breaks the client. */
const refuse = (node: Node, call: Call, batch: Batch): void => {
  respond(call, batch, badRequest());
  const later = setTimeout(() => respond(call, batch, timedOut()), node.writeTimeoutMs);
  void call.closed().then(() => clearTimeout(later));
};

const take = (node: Node, call: Call, batch: Batch): void => {
  let stream: string;
  let events: readonly ProposedEvent[];
  try {
    stream = streamNameOf(batch.options.getStreamIdentifier());
    events = batch.messages.map(proposedEvent);
  } catch (error) {
    if (error instanceof BadRequest) return refuse(node, call, batch);
    throw error;
  }
  const deadline = batch.options.getDeadline();
  if (deadline !== undefined && deadline.toDate().getTime() <= Date.now()) return respond(call, batch, timedOut());
  if (isTooLarge(events)) return respond(call, batch, tooLarge());
  const expected = expectedOf(batch.options);
  const write = (): WriteOutcome => node.writer().append(stream, expected, events);
  const fault = node.faults.takeAppend(stream);
  switch (fault?.kind) {
    case undefined:
      return respondTo(call, batch, stream, expected, write());
    case 'not-leader':
      return call.fail(notLeader(fault.leader));
    case 'unavailable':
      return respond(call, batch, notReady());
    case 'cancelled':
      return call.fail(cancelled());
    case 'commit-timeout':
      write();
      return respond(call, batch, timedOut());
    case 'hang':
      if (fault.isStored) write();
      return;
    case 'half-close':
      if (fault.isStored) write();
      return call.reset();
    case 'connection-lost':
      if (fault.isStored) write();
      return call.breakConnection();
  }
};

export const batchAppend =
  (node: Node) =>
  async (call: Call): Promise<void> => {
    assertMayAnswer(node, call.metadata);
    const open = new Map<string, Batch>();
    for await (const request of call.requests()) {
      const correlationId = request.getCorrelationId()!;
      const key = correlationId.getString();
      const options = request.getOptions();
      const batch = open.get(key) ?? { correlationId, options: options!, messages: [] };
      batch.messages.push(...request.getProposedMessagesList());
      if (!request.getIsFinal()) open.set(key, batch);
      else {
        open.delete(key);
        take(node, call, batch);
      }
    }
    call.end();
  };
