import type { BrokenChain } from '../chain/chain';
import type { Revision, StreamName } from '../core/port';

export type StreamFaultKind =
  | 'source-broken'
  | 'target-broken'
  /** At this revision the target holds another event. */
  | 'target-differs'
  /** The target went on where the source ends. */
  | 'target-ahead'
  | 'target-behind'
  /** The source has no such stream. */
  | 'target-alone'
  | 'target-refuses';

/** Why a stream was not copied, or is not the same on both sides. */
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

/** Beyond so many the two logs have nothing to do with each other, and no list of faults says more. */
export const FAULTY_STREAMS_MAX = 1_000;

/** The first fault of each stream. */
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
