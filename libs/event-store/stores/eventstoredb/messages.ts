import { type ReadResp, AppendReq, ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import type { NonEmpty } from '@app/kernel';
import type { Position, EventId, Revision, StoredEvent, StreamName, NewEvent } from '../../core/port';

interface CommitAndPrepare {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const TEXT = /^(\d{1,20})\/(\d{1,20})$/;

/** Commit and prepare position as text: a resume needs both, and both exceed a number (EventStoreDB notes, section 1, point 11). */
export const positionText = (commit: string, prepare: string): Position => `${commit}/${prepare}` as Position;

export const BEFORE_ALL = positionText('0', '0');

/** @throws Error if the text is no EventStoreDB position, such as another store's checkpoint */
export const parsePosition = (position: Position): CommitAndPrepare => {
  const [, commit, prepare] = TEXT.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${JSON.stringify(position.slice(0, 60))} is no position of an EventStoreDB log: it was kept for another store`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

/** A checkpoint during catch-up has prepare 0 and precedes the event at its commit position, which is not delivered yet. */
export const comparePositions = (a: Position, b: Position): number => {
  if (a === b) return 0;
  const [left, right] = [parsePosition(a), parsePosition(b)];
  if (left.commit !== right.commit) return left.commit < right.commit ? -1 : 1;
  if (left.prepare === right.prepare) return 0;
  return left.prepare < right.prepare ? -1 : 1;
};

/** EventStoreDB ticks are 100 ns. */
const TICKS_PER_MS = 10_000n;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

export const recordedPosition = (record: ReadResp.ReadEvent.RecordedEvent): Position =>
  positionText(record.getCommitPosition(), record.getPreparePosition());

/** Keeps the texts exactly as stored, because the hash chain covers them (architecture, rule 7). */
export const storedEvent = (record: ReadResp.ReadEvent.RecordedEvent): StoredEvent => {
  const properties = record.getMetadataMap();
  return {
    id: (record.getId()?.getString() ?? '') as EventId,
    type: properties.get('type') ?? '',
    data: textOf(record.getData_asU8()),
    metadata: textOf(record.getCustomMetadata_asU8()),
    stream: textOf(record.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()) as StreamName,
    revision: BigInt(record.getStreamRevision()) as Revision,
    position: recordedPosition(record),
    createdMs: Number(BigInt(properties.get('created') ?? '0') / TICKS_PER_MS),
  };
};

/** Makes events readable in EventStoreDB's own pages. The server stores the bytes unchanged. */
const CONTENT_TYPE = 'application/json';

const streamIdentifier = (stream: StreamName): StreamIdentifier => {
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

/** Stream and exact revision first, then each event. Reused for every attempt. */
export const appendMessages = (stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>): readonly AppendReq[] => {
  const options = new AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no_stream') options.setNoStream(new Empty());
  else options.setRevision(expected.toString());
  const header = new AppendReq();
  header.setOptions(options);
  return [header, ...events.map(messageOf)];
};

const { Options } = ReadReq;
const FORWARDS = 0;
const BACKWARDS = 1;
const ALL_EVENTS = String(Number.MAX_SAFE_INTEGER);

const request = (options: ReadReq.Options): ReadReq => {
  const uuid = new Options.UUIDOption();
  uuid.setString(new Empty());
  options.setUuidOption(uuid);
  const made = new ReadReq();
  made.setOptions(options);
  return made;
};

export const streamRequest = (stream: StreamName, from: Revision): ReadReq => {
  const place = new Options.StreamOptions();
  place.setStreamIdentifier(streamIdentifier(stream));
  if (from === 0n) place.setStart(new Empty());
  else place.setRevision(from.toString());
  const options = new Options();
  options.setStream(place);
  options.setReadDirection(FORWARDS);
  options.setCount(ALL_EVENTS);
  options.setNoFilter(new Empty());
  return request(options);
};

export const newestRequest = (): ReadReq => {
  const place = new Options.AllOptions();
  place.setEnd(new Empty());
  const options = new Options();
  options.setAll(place);
  options.setReadDirection(BACKWARDS);
  options.setCount('1');
  options.setNoFilter(new Empty());
  return request(options);
};

/** Streams that begin with $ are the server's own. A filter by type would include some (EventStoreDB notes, section 1, point 15). */
const NOT_THE_SERVERS_OWN = '^[^$]';

/** A catch-up subscription on `$all` after `after` (exclusive), filtered by the stream prefixes `<category>-`. */
export const subscriptionRequest = (categories: readonly string[] | 'all', after: Position | 'start'): ReadReq => {
  const place = new Options.AllOptions();
  if (after === 'start' || after === BEFORE_ALL) {
    place.setStart(new Empty());
  } else {
    const { commit, prepare } = parsePosition(after);
    const position = new Options.Position();
    position.setCommitPosition(commit.toString());
    position.setPreparePosition(prepare.toString());
    place.setPosition(position);
  }
  const names = new Options.FilterOptions.Expression();
  if (categories === 'all') names.setRegex(NOT_THE_SERVERS_OWN);
  else names.setPrefixList(categories.map((category) => `${category}-`));
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setCount(new Empty());
  filter.setCheckpointintervalmultiplier(1);
  const options = new Options();
  options.setAll(place);
  options.setReadDirection(FORWARDS);
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(filter);
  return request(options);
};
