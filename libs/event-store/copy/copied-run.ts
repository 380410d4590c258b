import { metadataOf } from '../core/envelope';
import { APPEND_DATA_BYTES_MAX, APPEND_EVENTS_MAX, type StoredEvent, type StreamName } from '../core/port';

export interface ChainedEvent {
  readonly event: StoredEvent;
  readonly hash: string;
}

/** Empty where the metadata cannot be parsed, since the copy does not need them. */
const correlationOf = (event: StoredEvent): string => {
  try {
    return String(metadataOf(event).correlation);
  } catch {
    return '';
  }
};

/** Adjacent events of one stream and correlation that fit into one append; usually the events that one append wrote. */
export class CopiedRun {
  readonly first: ChainedEvent;
  readonly stream: StreamName;
  readonly correlation: string;
  readonly events: ChainedEvent[] = [];
  #dataBytes = 0;

  constructor(first: ChainedEvent) {
    this.first = first;
    this.stream = first.event.stream;
    this.correlation = correlationOf(first.event);
    this.#push(first);
  }

  /** False where the event must begin the next run. */
  take(next: ChainedEvent): boolean {
    if (next.event.stream !== this.stream || this.events.length >= APPEND_EVENTS_MAX) return false;
    if (this.#dataBytes + Buffer.byteLength(next.event.data) > APPEND_DATA_BYTES_MAX) return false;
    if (correlationOf(next.event) !== this.correlation) return false;
    this.#push(next);
    return true;
  }

  #push(next: ChainedEvent): void {
    this.events.push(next);
    this.#dataBytes += Buffer.byteLength(next.event.data);
  }
}
