import { isoInstant } from '@app/kernel';
import type { Erasure, ErasureRecord } from './domain/erasure';

export interface ErasureJson {
  /** Start of the legal hold. */
  readonly heldSince?: string;
  /** Requested, but not yet known to be destroyed. */
  readonly underWay?: { readonly requestId: string; readonly requestedAt: string };
  /** The oldest first. */
  readonly done: readonly (Pick<ErasureRecord, 'requestId' | 'cause'> & {
    /** Number of destroyed keys of sealed texts. */
    readonly texts: number;
    /** Number of shredded cards. */
    readonly cards: number;
    readonly erasedAt: string;
  })[];
}

export const erasureAsJson = ({ heldSince, underWay, done }: Erasure): ErasureJson | undefined =>
  heldSince === undefined && underWay === undefined && done.length === 0
    ? undefined
    : {
        ...(heldSince !== undefined && { heldSince: isoInstant(heldSince) }),
        ...(underWay !== undefined && { underWay: { requestId: underWay.requestId, requestedAt: isoInstant(underWay.requestedAt) } }),
        done: done.map(({ requestId, cause, texts, cards, erasedAt }) => ({
          requestId,
          cause,
          texts: texts.length,
          cards: cards.length,
          erasedAt: isoInstant(erasedAt),
        })),
      };
