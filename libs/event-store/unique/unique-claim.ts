import type { ContentDigest } from '@app/kernel';
import { eventCodec, type EventCodec } from '../core/codec/codec';
import type { Envelope } from '../core/envelope';
import { load, type Fold, type Loaded } from '../runners/decisions/load';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type StreamName } from '../core/port';
import { f } from '../core/codec/schema';

export type Claimed = {
  readonly type: 'Claimed';
  readonly data: {
    readonly owner: string;
    /** Keyed digest of what the owner wanted, where another's wish under the same key is to be told from a repeat of this one. */
    readonly contentDigest?: ContentDigest;
  };
};
export type Released = { readonly type: 'Released'; readonly data: { readonly owner: string } };
export type OnceEvent = Claimed | Released;

export const ONCE_CATEGORY = 'once';

export const onceCodec: EventCodec<OnceEvent> = eventCodec<OnceEvent>(ONCE_CATEGORY, {
  Claimed: {
    version: 1,
    meaning: 'something that is good once was taken, for good, by the owner named; again by the same owner: somebody goes on in its name',
    schema: f.object<Claimed['data']>({ owner: f.id(), contentDigest: f.optional(f.hash<ContentDigest>()) }),
  },
  Released: {
    version: 1,
    meaning: 'what the claim guarded did not come about: the next owner may take it',
    schema: f.object({ owner: f.id() }),
  },
});

/** Who holds a once-fact, and how often it was claimed in that name: once by the owner, then by each who went on for it. */
export type OnceHolder = Claimed['data'] & { readonly claims: number };

const holder: Fold<OnceEvent, OnceHolder | undefined> = {
  initial: undefined,
  evolve: (held, event) =>
    event.type === 'Claimed' ? { ...event.data, claims: held?.owner === event.data.owner ? held.claims + 1 : 1 } : undefined,
};

export type ClaimResult = 'claimed' | 'claimed-before' | { readonly takenBy: string; readonly contentDigest?: ContentDigest };

/** Rivals that claim and release at the same moment; each round somebody got on. */
const ROUNDS_MAX = 20;
/** Of these, rounds whose answer was lost: each has cost the store's whole deadline. */
const LOST_ANSWERS_MAX = 2;
const KIND = /^[a-z][a-zA-Z0-9]{0,31}$/;
const KEY_HASH = /^[0-9A-Za-z_-]{16,128}$/;

/** The key is hashed by the caller, under a key of the service: what is claimed (a nonce, a token) stands nowhere in the log. */
const onceStream = (kind: string, keyHash: string): StreamName => {
  if (!KIND.test(kind)) throw new Error('a kind is a word');
  if (!KEY_HASH.test(keyHash)) throw new Error('the hash of the key is 16 to 128 characters');
  return `${ONCE_CATEGORY}-${kind}.${keyHash}` as StreamName;
};

/** Appends one event of a once-fact where the state says so; the same ids over the tries of one answer that was lost. */
const change = async (
  store: EventStore,
  stream: StreamName,
  envelope: Envelope,
  next: (held: OnceHolder | undefined) => OnceEvent | undefined,
): Promise<Loaded<OnceHolder | undefined> | 'appended'> => {
  let lostAnswers = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const loaded = await load(store, stream, holder, onceCodec);
    const event = next(loaded.state);
    if (event === undefined) return loaded;
    const { last } = loaded;
    try {
      const encoded = onceCodec.encode([event], stream, last, envelope);
      const answer = await store.append(stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
      if (answer.kind === 'appended') return 'appended';
    } catch (error) {
      // The next round reads who holds it: if it was stored, we do.
      if (!(error instanceof OutcomeUnknown) || lostAnswers++ === LOST_ANSWERS_MAX) throw error;
    }
  }
  throw new StoreUnavailable(`${stream}: not settled in ${ROUNDS_MAX} rounds`);
};

/**
 * Claims what is good once (a nonce, an Idempotency-Key) for an owner (an order, an invoice): durable, and the same for every instance
 * (architecture, rule 3). Claim when the command was accepted and before the append that the claim guards; the same owner may come again.
 * @param contentDigest kept with the claim, and told to whoever comes later
 * @throws StoreUnavailable; OutcomeUnknown (claim again: the owner may hold it); BrokenChain
 */
export const claimOnce = async (
  store: EventStore,
  kind: string,
  keyHash: string,
  owner: string,
  envelope: Envelope,
  contentDigest?: ContentDigest,
): Promise<ClaimResult> => {
  const data = { owner, ...(contentDigest !== undefined && { contentDigest }) };
  const answer = await change(store, onceStream(kind, keyHash), envelope, (held) =>
    held === undefined ? { type: 'Claimed', data } : undefined,
  );
  if (answer === 'appended') return 'claimed';
  const { state } = answer;
  if (state === undefined || state.owner === owner) return 'claimed-before';
  return { takenBy: state.owner, ...(state.contentDigest !== undefined && { contentDigest: state.contentDigest }) };
};

/**
 * Goes on in the name of an owner that is not heard of any more: from then on nobody releases the claim, for two may be at it and one of them may yet
 * succeed. @returns false where that owner holds it no longer: it was refused after all, and the key is free or another's.
 */
export const goOnForOnce = async (
  store: EventStore,
  kind: string,
  keyHash: string,
  owner: string,
  envelope: Envelope,
): Promise<boolean> => {
  let claimsSeen: number | undefined;
  const answer = await change(store, onceStream(kind, keyHash), envelope, (held) => {
    if (held?.owner !== owner) return undefined;
    claimsSeen ??= held.claims;
    // One more than before: ours, with its answer lost, or another's, which does as well.
    if (held.claims > claimsSeen) return undefined;
    const { contentDigest } = held;
    return { type: 'Claimed', data: { owner, ...(contentDigest !== undefined && { contentDigest }) } };
  });
  return answer === 'appended' || answer.state?.owner === owner;
};

/**
 * Frees what this owner claimed, after the append that it guarded was refused; of another's claim, and of none, nothing changes, and nothing where
 * somebody went on in its name.
 */
export const releaseOnce = async (store: EventStore, kind: string, keyHash: string, owner: string, envelope: Envelope): Promise<void> => {
  // The command that claimed may be the one that releases, and two events of a stream have two ids (architecture, rule 2).
  const releasing = { ...envelope, commandId: `${envelope.commandId}.release` };
  await change(store, onceStream(kind, keyHash), releasing, (held) =>
    held?.owner === owner && held.claims === 1 ? { type: 'Released', data: { owner } } : undefined,
  );
};

/** Who holds it; undefined where nobody does. */
export const onceHolder = async (store: EventStore, kind: string, keyHash: string): Promise<OnceHolder | undefined> =>
  (await load(store, onceStream(kind, keyHash), holder, onceCodec)).state;
