import { streams } from '@app/event-store/stores/eventstoredb/wire';
import type { GrpcCall } from '../grpc/grpc-call';
import { GrpcCode, GrpcFailure, notReady, streamDeleted } from '../grpc/grpc-failure';
import type { LogRecord } from '../log/log-record';
import { assertMayAnswer, type Node } from '../node';
import { streamNameOf } from './proposed-event';
import { eventAnswer, streamIdentifier } from './recorded-event';
import { subscribe } from './subscription';

export type ReadCall = GrpcCall<streams.ReadReq, streams.ReadResp>;

const BACKWARDS = 1;
const BEYOND_EVERYTHING = 9_223_372_036_854_775_807n;

const unexpectedResult = (of: 'Stream' | 'All'): GrpcFailure => new GrpcFailure(GrpcCode.unknown, `Unexpected Read${of}Result: Error`);

const eventsOfStream = (node: Node, stream: string, from: streams.ReadReq.Options.StreamOptions, isBackwards: boolean) => {
  if (from.hasEnd() && !isBackwards) throw unexpectedResult('Stream');
  const revision = from.hasEnd() ? BEYOND_EVERYTHING : from.hasRevision() ? BigInt(from.getRevision()) : 0n;
  return isBackwards ? node.view.backwards(stream, revision) : node.view.forwards(stream, revision);
};

function* eventsOfLog(node: Node, from: streams.ReadReq.Options.AllOptions, isBackwards: boolean): Generator<LogRecord, void, undefined> {
  const { log } = node;
  if (from.hasEnd() && !isBackwards) throw unexpectedResult('All');
  const position = from.hasEnd() ? log.end : from.hasPosition() ? BigInt(from.getPosition()!.getCommitPosition()) : 0n;
  if (!log.isBoundary(position)) throw unexpectedResult('All');
  const start = log.indexOf(position);
  const last = log.length;
  for (let index = isBackwards ? start - 1 : start; index >= 0 && index < last; index += isBackwards ? -1 : 1) {
    const record = log.at(index);
    if (record !== undefined) yield record;
  }
}

export const read =
  (node: Node) =>
  async (call: ReadCall): Promise<void> => {
    assertMayAnswer(node, call.metadata);
    const options = (await call.request()).getOptions()!;
    const ofStream = options.getStream();
    const stream = ofStream === undefined ? undefined : streamNameOf(ofStream.getStreamIdentifier());
    if (options.hasSubscription()) return subscribe(node, call, options, stream);
    const fault = node.faults.takeRead(stream);
    switch (fault?.kind) {
      case undefined:
        break;
      case 'unavailable':
        throw notReady();
      case 'hang':
        return call.closed();
      case 'half-close':
        return call.reset();
      case 'connection-lost':
        return call.breakConnection();
    }
    const isBackwards = Number(options.getReadDirection()) === BACKWARDS;
    const countMax = BigInt(options.getCount());
    if (countMax === 0n) throw unexpectedResult(stream === undefined ? 'All' : 'Stream');
    if (stream !== undefined) {
      const state = node.view.stateOf(stream);
      if (state === 'deleted') throw streamDeleted(stream);
      if (state === 'not-found') {
        const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream));
        call.send(new streams.ReadResp().setStreamNotFound(notFound));
        return call.end();
      }
    }
    const records =
      stream === undefined || ofStream === undefined
        ? eventsOfLog(node, options.getAll()!, isBackwards)
        : eventsOfStream(node, stream, ofStream, isBackwards);
    let count = 0n;
    for (const record of records) {
      if (!call.send(eventAnswer(record, node.view, options.getResolveLinks()))) await call.drained();
      count += 1n;
      if (count >= countMax || !call.isOpen) break;
    }
    call.end();
  };
