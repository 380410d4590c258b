import type { StoredEvent } from '@app/event-store';

export interface EventPlace {
  readonly index: number;
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
}

export const eventPlace = (
  { position, stream, revision }: Pick<StoredEvent, 'position' | 'stream' | 'revision'>,
  index: number,
): EventPlace => ({
  index,
  position,
  stream,
  revision: Number(revision),
});

/** Kind of the first difference, derived from the events after it. */
export type Difference = 'changed' | 'event-missing-before' | 'event-inserted' | 'order-changed' | 'unreadable';

export type Evidence =
  /** The stored tree, and a checkpoint of this size signed over it. */
  | { readonly kind: 'signed'; readonly size: number; readonly place: string }
  /** Only the stored tree: no checkpoint covers the event, or the tree no longer matches those that do. */
  | { readonly kind: 'tree'; readonly isReached: boolean };

export type LogFinding =
  | { readonly kind: 'event-differs'; readonly at: EventPlace; readonly difference: Difference; readonly evidence: Evidence }
  /** Log and tree were changed together: somewhere between these two checkpoints, or before the first one. */
  | {
      readonly kind: 'changed-between';
      readonly good: number;
      readonly bad: number;
      readonly place: string;
      readonly from: EventPlace | undefined;
      readonly to: EventPlace | undefined;
    }
  /** The log ends before a checkpoint, or before the tree if `place` is undefined. */
  | {
      readonly kind: 'log-shorter';
      readonly events: number;
      readonly expected: number;
      readonly place: string | undefined;
      readonly last: EventPlace | undefined;
    }
  | { readonly kind: 'fork'; readonly size: number; readonly places: readonly string[] }
  /** The log is as signed, but a file of the tree is not. The tree can be rebuilt. */
  | { readonly kind: 'tree-damaged'; readonly what: string }
  /** Our key signed another log's checkpoints: this log's name was removed, or the place belongs to another log. */
  | { readonly kind: 'other-log'; readonly origin: string; readonly size: number; readonly place: string }
  /** There are checkpoints, but none was signed by the key. */
  | { readonly kind: 'none-verified'; readonly places: readonly string[] }
  | { readonly kind: 'not-signed'; readonly place: string; readonly notes: number }
  /** A place lacks checkpoints of this size, signed long before the newest one at `ahead`. */
  | { readonly kind: 'place-behind'; readonly place: string; readonly size: number; readonly since: string; readonly ahead: string }
  /** Positions before an event are missing, which never happens in this store. */
  | { readonly kind: 'position-gap'; readonly at: EventPlace; readonly expected: number }
  /** An event of this service has no hash chain, and so no place in the tree. */
  | { readonly kind: 'event-without-chain'; readonly at: EventPlace };

const eventText = ({ index, position, stream, revision }: EventPlace): string =>
  `event ${index} (position ${position}, ${stream} revision ${revision})`;

const DIFFERENCES: Readonly<Record<Difference, string>> = {
  changed: 'is not the event that was written there',
  'event-missing-before': 'stands where another event was written: at least one is missing before it',
  'event-inserted': 'was not written there: it was put between others',
  'order-changed': 'is not the event that was written there, and those behind it are others too',
  unreadable: 'cannot be read: its row does not fit its checksum',
};

export const findingText = (finding: LogFinding): string => {
  switch (finding.kind) {
    case 'event-differs': {
      const { at, difference, evidence } = finding;
      const by =
        evidence.kind === 'tree'
          ? `by the tree; ${evidence.isReached ? 'it is not the tree that was signed' : 'no checkpoint reaches it'}`
          : `by the tree and the checkpoint of ${evidence.size} events at ${evidence.place}`;
      return `${eventText(at)} ${DIFFERENCES[difference]} (${by})`;
    }
    case 'changed-between': {
      const { good, bad, place, from, to } = finding;
      const span = from === undefined || to === undefined ? '' : `, from ${eventText(from)} to ${eventText(to)}`;
      const between = good === 0 ? `the first ${bad} events` : `the events behind the first ${good}, up to ${bad}`;
      return `${between} are not those of the checkpoint at ${place}${span}: log and tree were changed together`;
    }
    case 'log-shorter': {
      const { events, expected, place, last } = finding;
      const end = last === undefined ? 'it is empty' : `it ends with ${eventText(last)}`;
      return `the log has ${events} events, and ${place === undefined ? 'its tree' : `the checkpoint at ${place}`} ${expected}: ${end}`;
    }
    case 'fork':
      return `two checkpoints of ${finding.size} events have different roots: ${finding.places.join(' and ')}`;
    case 'tree-damaged':
      return `the log is as it was signed, and its tree is damaged: ${finding.what}. Remove tile, positions and state, and the service builds it again`;
    case 'other-log':
      return `the key signed a log of another name, ${finding.origin} with ${finding.size} events, at ${finding.place}: the name of this log was taken away, or the place is another log’s`;
    case 'none-verified':
      return `no checkpoint at ${finding.places.join(' or ')} was signed by the key`;
    case 'not-signed':
      return `${finding.notes} ${finding.notes === 1 ? 'note' : 'notes'} at ${finding.place}: not signed by the key, or no checkpoint`;
    case 'place-behind': {
      const { place, size, since, ahead } = finding;
      return `${place} has no checkpoint of ${size} events or more, and ${ahead} has had such since ${since}`;
    }
    case 'position-gap':
      return `${eventText(finding.at)} stands where position ${finding.expected} is expected: the store of this log leaves none out`;
    case 'event-without-chain':
      return `${finding.at.stream} revision ${finding.at.revision} (position ${finding.at.position}) has no hash chain, as every event of this service has`;
  }
};

export interface FittingCheckpoint {
  readonly size: number;
  readonly root: string;
  readonly madeAt: string | undefined;
  readonly place: string;
}

export interface PlaceCount {
  readonly place: string;
  readonly checkpoints: number;
  readonly ofOtherLogs: number;
  readonly passedOver: number;
}

export interface VerifyLogReport {
  readonly isComplete: boolean;
  /** Events in the rebuilt tree, including those before `since`. */
  readonly events: number;
  readonly read: number;
  /** Events of other services on the same server. */
  readonly leftOut: number;
  readonly treeSize: number;
  readonly root: string;
  readonly checkpoints: {
    readonly verified: number;
    readonly ignored: number;
    readonly newest: FittingCheckpoint | undefined;
    readonly largest: number;
    readonly places: readonly PlaceCount[];
  };
  readonly findings: readonly LogFinding[];
  readonly unreachable: readonly { readonly place: string; readonly problem: string }[];
}
