import { shared, type streams } from '@app/event-store/stores/eventstoredb/wire';
import type { ProposedEvent } from '../log/log-record';

/** EventStoreDB's default for all data of one append; metadata and types do not count. */
export const APPEND_DATA_BYTES_LIMIT = 1_048_576;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NOBODY = '00000000-0000-0000-0000-000000000000';

export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

type ProposedMessage = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

export const uuidOf = (id: string): shared.UUID => new shared.UUID().setString(id);

/**
 * @throws BadRequest for an id that is not a UUID, or a missing type.
 */
export const proposedEvent = (message: ProposedMessage): ProposedEvent => {
  const id = message.getId()?.getString().toLowerCase() ?? '';
  const type = message.getMetadataMap().get('type') ?? '';
  const contentType = message.getMetadataMap().get('content-type') ?? '';
  if (!UUID.test(id) || id === NOBODY) throw new BadRequest(`not an event id: ${id}`);
  if (type === '') throw new BadRequest('an event without a type');
  return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() };
};

export const streamNameOf = (identifier: shared.StreamIdentifier | undefined): string => {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
  if (name === '') throw new BadRequest('a stream without a name');
  return name;
};

export const isTooLarge = (events: readonly ProposedEvent[]): boolean =>
  events.reduce((bytes, { data }) => bytes + data.length, 0) > APPEND_DATA_BYTES_LIMIT;
