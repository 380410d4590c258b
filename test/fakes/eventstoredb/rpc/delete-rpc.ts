import { streams } from '@app/event-store/stores/eventstoredb/wire';
import { expectedOf } from './append-rpc';
import type { GrpcCall } from '../grpc/grpc-call';
import { deleteAtWrongVersion, streamDeleted } from '../grpc/grpc-failure';
import { expectedNumber, type WriteOutcome } from '../log/log-writer';
import { assertMayAnswer, type Node } from '../node';
import { streamNameOf } from './proposed-event';

type Options = streams.DeleteReq.Options | streams.TombstoneReq.Options;

/**
 * @throws GrpcFailure for every outcome except a written one.
 */
const positionOf = (stream: string, options: Options, outcome: WriteOutcome): string => {
  if (outcome.kind === 'written') return `${outcome.position}`;
  if (outcome.kind === 'wrong-version') throw deleteAtWrongVersion(stream, expectedNumber(expectedOf(options)), outcome.actual);
  throw streamDeleted(stream);
};

export const softDelete =
  (node: Node) =>
  async (call: GrpcCall<streams.DeleteReq, streams.DeleteResp>): Promise<void> => {
    assertMayAnswer(node, call.metadata);
    const options = (await call.request()).getOptions()!;
    const stream = streamNameOf(options.getStreamIdentifier());
    const position = positionOf(stream, options, node.writer().softDelete(stream, expectedOf(options)));
    const message = new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position);
    call.send(new streams.DeleteResp().setPosition(message));
    call.end();
  };

export const tombstone =
  (node: Node) =>
  async (call: GrpcCall<streams.TombstoneReq, streams.TombstoneResp>): Promise<void> => {
    assertMayAnswer(node, call.metadata);
    const options = (await call.request()).getOptions()!;
    const stream = streamNameOf(options.getStreamIdentifier());
    const position = positionOf(stream, options, node.writer().tombstone(stream, expectedOf(options)));
    const message = new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position);
    call.send(new streams.TombstoneResp().setPosition(message));
    call.end();
  };
