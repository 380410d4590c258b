import type { Revision, StreamName } from '@app/event-store';
import { entryProjection } from '../engine/entry-table';
import { collectMentions } from './mentions.fold';

export interface Mention {
  readonly stream: StreamName;
  readonly revision: Revision;
}

/** More digits than a stream's revisions need, so that texts sort as numbers. */
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
 * Operator, reconciliation and approval events by subject: order, delivery or any other name. Their streams do not name it.
 */
export const mentions = entryProjection('mentions', {
  categories: ['operator', 'reconciliation', 'approval'],
  shape: 3,
  collect: (event, collect) => collectMentions(event, (name) => collect(name, placeOf(event))),
});
