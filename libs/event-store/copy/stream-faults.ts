import type { BrokenChain } from '../core/chain';
import type { Revision, StreamName } from '../core/port';

type StreamFaultKind =
  | 'source-broken'
  | 'target-broken'
  /** The target holds another event at this revision. */
  | 'target-differs'
  /** The target continues after the source's end. */
  | 'target-ahead'
  | 'target-behind'
  /** Only the target has this stream. */
  | 'target-alone'
  | 'target-refuses';

/** The reason why a stream was not copied or differs between the logs. */
export interface StreamFault {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly kind: StreamFaultKind;
  /** One line, without the stream's name. */
  readonly text: string;
}

const TEXTS: Readonly<Record<Exclude<StreamFaultKind, 'source-broken' | 'target-broken' | 'target-refuses'>, (at: Revision) => string>> = {
  'target-differs': (at) => `the target holds another event at revision ${at}`,
  'target-ahead': (at) => `the target goes on at revision ${at}, where the source has ended`,
  'target-behind': (at) => `the target ends before revision ${at}`,
  'target-alone': () => 'the target holds this stream, and the source does not',
};

export const streamFault = (stream: StreamName, kind: keyof typeof TEXTS, revision: Revision): StreamFault => ({
  stream,
  revision,
  kind,
  text: TEXTS[kind](revision),
});

export const brokenFault = (stream: StreamName, kind: 'source-broken' | 'target-broken', { event, fault }: BrokenChain): StreamFault => {
  const side = kind === 'source-broken' ? 'source' : 'target';
  return { stream, revision: event.revision, kind, text: `the ${side} is broken at revision ${event.revision}: ${fault}` };
};

/** Two logs with more faulty streams are unrelated, so that a longer list would not help. */
export const FAULTY_STREAMS_MAX = 1_000;

/** Collects the first fault of each stream. */
export class StreamFaults {
  readonly #byStream = new Map<StreamName, StreamFault>();

  add(fault: StreamFault): void {
    if (!this.#byStream.has(fault.stream)) this.#byStream.set(fault.stream, fault);
  }

  has(stream: StreamName): boolean {
    return this.#byStream.has(stream);
  }

  get isFull(): boolean {
    return this.#byStream.size >= FAULTY_STREAMS_MAX;
  }

  get all(): readonly StreamFault[] {
    return [...this.#byStream.values()];
  }
}
