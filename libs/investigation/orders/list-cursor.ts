import type { ServiceDigests } from '@app/card-vault';
import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { ListPlace } from '@app/read-models';
import { questionParts, type ListQuestion } from './list-question';

type Digests = Pick<ServiceDigests, 'onceKey'>;

const SEALED = /^([A-Za-z0-9_-]{1,300})\.([0-9a-f]{32})$/;
const PLACE = /^(\d{1,16}) ([A-Za-z]{1,64}-[a-z2-7]{1,64})$/;
/** 128 bits: a guess costs a request. */
const MARK_LENGTH = 32;

/**
 * A keyed digest of a question, by which the same question is known again and its values are not told. It stands in the log beside the query, and in each
 * cursor of it.
 */
export const questionDigest = (digests: Digests, question: ListQuestion): string =>
  digests.onceKey('audit question', questionParts(question).flat());

const markOf = (digests: Digests, place: string, question: string): string =>
  digests.onceKey('audit cursor', [question, place]).slice(0, MARK_LENGTH);

/** Where the next page of this question begins, as a text that nobody else can make. */
export const writeCursor = (digests: Digests, { createdAt, stream }: ListPlace, question: string): string => {
  const place = Buffer.from(`${createdAt} ${stream}`).toString('base64url');
  return `${place}.${markOf(digests, place, question)}`;
};

/** Undefined for a cursor that was changed, or made for another question or by another service. */
export const readCursor = (digests: Digests, cursor: string, question: string): ListPlace | undefined => {
  const [, place = '', mark] = SEALED.exec(cursor) ?? [];
  if (mark === undefined || mark !== markOf(digests, place, question)) return undefined;
  const [, createdAt, stream] = PLACE.exec(Buffer.from(place, 'base64url').toString('latin1')) ?? [];
  return createdAt === undefined ? undefined : { createdAt: Number(createdAt) as Instant, stream: stream as StreamName };
};
