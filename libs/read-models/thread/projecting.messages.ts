import { StoreUnavailable, type FlatEvents, type Position, type StreamName, type WorkItem } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { CorruptRow } from '../engine/project-from-log';
import type { ParkedStream } from '../engine/projecting/projector';
import type { StreamRebuilt } from '../engine/projecting/stream-repair';
import type { Rebuilt } from '../engine/rebuild/rebuilds';

export interface ProjectingCalls {
  position(): Promise<Position | undefined>;
  parked(): Promise<readonly StreamName[]>;
  apply(batch: FlatEvents, upTo: Position): Promise<void>;
  park(event: FlatEvents, error: Thrown): Promise<void>;
  release(): Promise<void>;
  build(): Promise<Rebuilt | undefined>;
  abandonAheadOfLog(): Promise<readonly string[]>;
  rebuildStream(stream: StreamName): Promise<StreamRebuilt>;
  rewrite(row: CorruptRow): Promise<void>;
  rest(work: string, lanes: readonly string[]): Promise<void>;
  postpone(work: string, asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void>;
  /** The last call. */
  close(): Promise<void>;
}

export type ToProjecting = {
  [Name in keyof ProjectingCalls]: {
    readonly call: number;
    readonly name: Name;
    readonly with: Parameters<ProjectingCalls[Name]>;
  };
}[keyof ProjectingCalls];

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly isUnavailable: boolean;
}

export interface ProjectingState {
  readonly hasFirstPartition: boolean;
  readonly isFencedOut: boolean;
}

export type FromProjecting =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown; readonly state: ProjectingState }
  | { readonly kind: 'failure'; readonly call: number; readonly thrown: Thrown; readonly state: ProjectingState }
  | { readonly kind: 'ahead-of-log'; readonly projections: readonly string[] }
  | { readonly kind: 'parked'; readonly parked: ParkedStream }
  | { readonly kind: 'corrupt-row'; readonly row: CorruptRow }
  | { readonly kind: 'waiting'; readonly thrown: Thrown | undefined };

export const thrownOf = (error: unknown): Thrown => {
  const { name = 'Error', message = String(error) } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Error>;
  return { name, message, isUnavailable: error instanceof StoreUnavailable };
};

export const errorOf = ({ name, message, isUnavailable }: Thrown): Error =>
  isUnavailable ? new StoreUnavailable(message) : Object.assign(new Error(message), { name });
