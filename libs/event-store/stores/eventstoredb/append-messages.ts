import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import type { NonEmpty } from '@app/kernel';
import type { NewEvent, Revision, StreamName } from '../../core/port';

/** Makes the log readable in EventStoreDB's own pages; the server stores the bytes unchanged. */
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

/** The messages of an Append call: stream and exact revision first, then each event. They are reused for every attempt. */
export const appendMessages = (stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>): readonly AppendReq[] => {
  const options = new AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no_stream') options.setNoStream(new Empty());
  else options.setRevision(expected.toString());
  const header = new AppendReq();
  header.setOptions(options);
  return [header, ...events.map(messageOf)];
};
