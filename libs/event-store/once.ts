import { eventCodec, type EventCodec } from './codec';
import type { Envelope } from './envelope';
import { load, type Fold, type Loaded } from './load';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type StreamName } from './port';
import { f } from './schema';

export type Claimed = { readonly type: 'Claimed'; readonly data: { readonly owner: string } };
export type Released = { readonly type: 'Released'; readonly data: { readonly owner: string } };
export type OnceEvent = Claimed | Released;

export const ONCE_CATEGORY = 'once';

export const onceCodec: EventCodec<OnceEvent> = eventCodec<OnceEvent>(ONCE_CATEGORY, {
  Claimed: {
    version: 1,
    meaning: 'something that is good once was taken, for good, by the owner named',
    schema: f.object({ owner: f.id() }),
  },
  Released: {
    version: 1,
    meaning: 'what the claim guarded did not come about: the next owner may take it',
    schema: f.object({ owner: f.id() }),
  },
});

const holder: Fold<OnceEvent, string | undefined> = {
  initial: undefined,
  evolve: (_, event) => (event.type === 'Claimed' ? event.data.owner : undefined),
};

export type ClaimResult = 'claimed' | 'claimed-before' | { readonly takenBy: string };

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
  next: (owner: string | undefined) => OnceEvent | undefined,
): Promise<Loaded<string | undefined> | 'appended'> => {
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
 * @throws StoreUnavailable; OutcomeUnknown (claim again: the owner may hold it); BrokenChain
 */
export const claimOnce = async (
  store: EventStore,
  kind: string,
  keyHash: string,
  owner: string,
  envelope: Envelope,
): Promise<ClaimResult> => {
  const answer = await change(store, onceStream(kind, keyHash), envelope, (current) =>
    current === undefined ? { type: 'Claimed', data: { owner } } : undefined,
  );
  if (answer === 'appended') return 'claimed';
  return answer.state === owner || answer.state === undefined ? 'claimed-before' : { takenBy: answer.state };
};

/** Frees what this owner claimed, after the append that it guarded was refused; of another's claim, and of none, nothing changes. */
export const releaseOnce = async (store: EventStore, kind: string, keyHash: string, owner: string, envelope: Envelope): Promise<void> => {
  await change(store, onceStream(kind, keyHash), envelope, (current) =>
    current === owner ? { type: 'Released', data: { owner } } : undefined,
  );
};

/** Who holds it; undefined where nobody does. */
export const onceOwner = async (store: EventStore, kind: string, keyHash: string): Promise<string | undefined> =>
  (await load(store, onceStream(kind, keyHash), holder, onceCodec)).state;
