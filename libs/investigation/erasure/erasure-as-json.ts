import { isoInstant } from '@app/kernel';
import type { Erasure, ErasureRecord } from './domain/erasure';

/** Holds and erasures of an order, for programs; times are ISO 8601. */
export interface ErasureJson {
  /** Under legal hold since then. */
  readonly heldSince?: string;
  /** Requested, and not known to be destroyed yet. */
  readonly underWay?: { readonly requestId: string; readonly requestedAt: string };
  /** The oldest first. */
  readonly done: readonly (Pick<ErasureRecord, 'requestId' | 'cause'> & {
    /** Keys of sealed texts that were destroyed. */
    readonly texts: number;
    /** Cards that were shredded. */
    readonly cards: number;
    readonly erasedAt: string;
  })[];
}

/** Undefined where nothing is on record. */
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
