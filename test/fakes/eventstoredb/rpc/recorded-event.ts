import { shared, streams } from '@app/event-store/stores/eventstoredb/wire';
import type { LogRecord } from '../log/log-record';
import { uuidOf } from './proposed-event';
import type { StreamView } from '../log/stream-view';

const TICKS_PER_MS = 10_000n;
const LINK_TYPE = '$>';

export const streamIdentifier = (stream: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream, 'utf8')));

const recorded = (record: LogRecord): streams.ReadResp.ReadEvent.RecordedEvent => {
  const message = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidOf(record.id))
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(`${record.revision}`)
    .setCommitPosition(`${record.position}`)
    .setPreparePosition(`${record.position}`)
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  const map = message.getMetadataMap();
  map.set('type', record.type);
  map.set('content-type', record.contentType);
  map.set('created', `${BigInt(record.createdMs) * TICKS_PER_MS}`);
  return message;
};

const targetOf = (link: LogRecord, view: StreamView): LogRecord | undefined => {
  const text = Buffer.from(link.data).toString('utf8');
  const at = text.indexOf('@');
  const revision = text.slice(0, at);
  return /^\d+$/.test(revision) ? view.event(text.slice(at + 1), BigInt(revision)) : undefined;
};

export const eventAnswer = (record: LogRecord, view: StreamView, resolvesLinks: boolean): streams.ReadResp => {
  const message = new streams.ReadResp.ReadEvent().setCommitPosition(`${record.position}`);
  if (resolvesLinks && record.type === LINK_TYPE) {
    const target = targetOf(record, view);
    if (target !== undefined) message.setEvent(recorded(target));
    message.setLink(recorded(record));
  } else message.setEvent(recorded(record));
  return new streams.ReadResp().setEvent(message);
};
