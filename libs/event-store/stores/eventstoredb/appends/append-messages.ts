import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import type { NonEmpty } from '@app/kernel';
import type { NewEvent, Revision, StreamName } from '../../../core/port';

/** So that the log is readable in EventStoreDB's own pages; the bytes are ours to the last. */
const CONTENT_TYPE = 'application/json';

export const streamIdentifier = (stream: StreamName): StreamIdentifier => {
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream, 'utf8'));
  return identifier;
};

const messageOf = ({ id, type, data, metadata }: NewEvent): AppendReq => {
  const uuid = new UUID();
  uuid.setString(id);
  const message = new AppendReq.ProposedMessage();
  message.setId(uuid);
  message.getMetadataMap().set('type', type).set('content-type', CONTENT_TYPE);
  message.setData(Buffer.from(data, 'utf8'));
  message.setCustomMetadata(Buffer.from(metadata, 'utf8'));
  const request = new AppendReq();
  request.setProposedMessage(message);
  return request;
};

/** What the Append call sends: where and at which exact revision, then each event. The same messages serve every attempt. */
export const appendMessages = (stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>): readonly AppendReq[] => {
  const options = new AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no_stream') options.setNoStream(new Empty());
  else options.setRevision(expected.toString());
  const header = new AppendReq();
  header.setOptions(options);
  return [header, ...events.map(messageOf)];
};
