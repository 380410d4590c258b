import type { ContentDigest } from '@app/kernel';
import { eventCodec, type EventCodec } from '../core/codec/codec';
import type { Envelope } from '../core/envelope';
import { load, type Fold, type Loaded } from './load';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type StreamName } from '../core/port';
import { f } from '../core/codec/schema';

export type Claimed = {
  readonly type: 'Claimed';
  readonly data: {
    readonly owner: string;
    /** Keyed digest of the owner's request. It distinguishes a retry from a different request with the same key. */
    readonly contentDigest?: ContentDigest;
  };
};
type Released = { readonly type: 'Released'; readonly data: { readonly owner: string } };
export type UniqueClaimEvent = Claimed | Released;

const UNIQUE_CLAIM_CATEGORY = 'once';

export const uniqueClaimCodec: EventCodec<UniqueClaimEvent> = eventCodec<UniqueClaimEvent>(UNIQUE_CLAIM_CATEGORY, {
  Claimed: {
    version: 1,
    meaning: 'An owner took a key that can be used only once. A repeat by the same owner means that another process continues for it.',
    schema: f.object<Claimed['data']>({ owner: f.id(), contentDigest: f.optional(f.hash<ContentDigest>()) }),
  },
  Released: {
    version: 1,
    meaning: 'The claimed operation did not take place, so another owner can take the key.',
    schema: f.object({ owner: f.id() }),
  },
});

/** The current owner and the number of claims in its name: its own, then one per process that continued for it. */
export type ClaimHolder = Claimed['data'] & { readonly claims: number };

const holder: Fold<UniqueClaimEvent, ClaimHolder | undefined> = {
  initial: undefined,
  evolve: (held, event) =>
    event.type === 'Claimed' ? { ...event.data, claims: held?.owner === event.data.owner ? held.claims + 1 : 1 } : undefined,
};

export type ClaimResult = 'claimed' | 'claimed-before' | { readonly takenBy: string; readonly contentDigest?: ContentDigest };

/** At least one competing claimant succeeds in each round, so this many can compete concurrently. */
const ROUNDS_MAX = 20;
/** Lower, because each unknown outcome costs the store's whole deadline. */
const LOST_ANSWERS_MAX = 2;
const KIND = /^[a-z][a-zA-Z0-9]{0,31}$/;
const KEY_HASH = /^[0-9A-Za-z_-]{16,128}$/;

/** `keyHash` must be a keyed hash, so that the claimed value (a nonce, a token) never reaches the log. */
const claimStream = (kind: string, keyHash: string): StreamName => {
  if (!KIND.test(kind)) throw new Error('a kind is a word');
  if (!KEY_HASH.test(keyHash)) throw new Error('the hash of the key is 16 to 128 characters');
  return `${UNIQUE_CLAIM_CATEGORY}-${kind}.${keyHash}` as StreamName;
};

/** Uses the same ids in every round, so that the store recognises a retry after an unknown outcome. */
const change = async (
  store: EventStore,
  stream: StreamName,
  envelope: Envelope,
  next: (held: ClaimHolder | undefined) => UniqueClaimEvent | undefined,
): Promise<Loaded<ClaimHolder | undefined> | 'appended'> => {
  let lostAnswers = 0;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const loaded = await load(store, stream, holder, uniqueClaimCodec);
    const event = next(loaded.state);
    if (event === undefined) return loaded;
    const { last } = loaded;
    try {
      const encoded = uniqueClaimCodec.encode([event], stream, last, envelope);
      const answer = await store.append(stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
      if (answer.kind === 'appended') return 'appended';
    } catch (error) {
      // The next round reads the stream and finds the event if it was stored.
      if (!(error instanceof OutcomeUnknown) || lostAnswers++ === LOST_ANSWERS_MAX) throw error;
    }
  }
  throw new StoreUnavailable(`${stream}: not resolved in ${ROUNDS_MAX} rounds`);
};

/**
 * Claims a value that may be used once (a nonce, an Idempotency-Key) for an owner, durably and across instances (architecture, rule 3).
 * Claim before the append that the claim protects; the same owner may claim again.
 * @param contentDigest stored with the claim and returned to later claimants
 * @throws StoreUnavailable; OutcomeUnknown (claim again: the owner may have the claim); BrokenChain
 */
export const claimUnique = async (
  store: EventStore,
  kind: string,
  keyHash: string,
  owner: string,
  envelope: Envelope,
  contentDigest?: ContentDigest,
): Promise<ClaimResult> => {
  const data = { owner, ...(contentDigest !== undefined && { contentDigest }) };
  const answer = await change(store, claimStream(kind, keyHash), envelope, (held) =>
    held === undefined ? { type: 'Claimed', data } : undefined,
  );
  if (answer === 'appended') return 'claimed';
  const { state } = answer;
  if (state === undefined || state.owner === owner) return 'claimed-before';
  return { takenBy: state.owner, ...(state.contentDigest !== undefined && { contentDigest: state.contentDigest }) };
};

/**
 * Continues in the name of an owner that no longer responds. After that the claim cannot be released, because either process may still
 * succeed.
 * @returns false if that owner no longer has the claim
 */
export const continueClaim = async (
  store: EventStore,
  kind: string,
  keyHash: string,
  owner: string,
  envelope: Envelope,
): Promise<boolean> => {
  let claimsSeen: number | undefined;
  const answer = await change(store, claimStream(kind, keyHash), envelope, (held) => {
    if (held?.owner !== owner) return undefined;
    claimsSeen ??= held.claims;
    // An additional claim is either this call's own or another process's. Both mean that the claim was continued.
    if (held.claims > claimsSeen) return undefined;
    const { contentDigest } = held;
    return { type: 'Claimed', data: { owner, ...(contentDigest !== undefined && { contentDigest }) } };
  });
  return answer === 'appended' || answer.state?.owner === owner;
};

/**
 * Releases this owner's claim after the protected append was refused. No effect if another owner has the claim or another process continued
 * it.
 */
export const releaseClaim = async (store: EventStore, kind: string, keyHash: string, owner: string, envelope: Envelope): Promise<void> => {
  // The same command may also have claimed, and two events of one stream need two ids (architecture, rule 2).
  const releasing = { ...envelope, commandId: `${envelope.commandId}.release` };
  await change(store, claimStream(kind, keyHash), releasing, (held) =>
    held?.owner === owner && held.claims === 1 ? { type: 'Released', data: { owner } } : undefined,
  );
};

export const claimHolder = async (store: EventStore, kind: string, keyHash: string): Promise<ClaimHolder | undefined> =>
  (await load(store, claimStream(kind, keyHash), holder, uniqueClaimCodec)).state;
