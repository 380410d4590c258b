import type { Revision, StreamName } from '@app/event-store';
import { EntryTable } from '../engine/entry-table';
import type { Projection } from '../engine/projection';
import { collectMentions } from './mentions.fold';

export const MENTIONS = 'mentions';

export const mentionsTable = (generation: number): `mentions_g${number}` => `mentions_g${generation}`;

/** An event that speaks of something. */
export interface Mention {
  readonly stream: StreamName;
  readonly revision: Revision;
}

/** More digits than a stream can have events, so that texts sort as numbers do. */
const REVISION_DIGITS = 12;
const PLACE = /^([A-Za-z][A-Za-z0-9]*-[a-z2-7]+)@(\d{12})$/;

const placeOf = ({ stream, revision }: Mention): string => `${stream}@${revision.toString().padStart(REVISION_DIGITS, '0')}`;

export const mentionAt = (place: string): Mention | undefined => {
  const [, stream, revision] = PLACE.exec(place) ?? [];
  return stream === undefined || revision === undefined
    ? undefined
    : { stream: stream as StreamName, revision: BigInt(revision) as Revision };
};

/**
 * Which events of operators and of reconciliation speak of an order, a delivery or anything else that has a name. An operator's events lie in the stream of
 * their process, which says nothing of what they are about.
 */
export const mentionsProjection: Projection = {
  name: MENTIONS,
  categories: ['operator', 'reconciliation'],
  shape: 2,
  table: (generation) =>
    new EntryTable(mentionsTable(generation), (event, collect) => collectMentions(event, (name) => collect(name, placeOf(event)))),
};
