import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { Position, Revision, StreamName } from '../../core/port';
import { streamIdentifier } from './append-messages';
import { BEFORE_ALL, parsePosition } from './position';

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

/** Requests the newest event of the whole log, including other writers' events. */
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

/** Streams whose names begin with $ are the server's own (EventStoreDB notes, section 1, point 15: a filter by type would let some of them in). */
const NOT_THE_SERVERS_OWN = '^[^$]';

/** Requests a catch-up subscription on `$all` after `after` (exclusive), filtered by the prefixes `<category>-` of stream names. */
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
