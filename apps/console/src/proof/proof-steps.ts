import { fromBase64, isConsistent, isIncluded, leafOf, linkOf, readCheckpoint, type Checkpoint, type LogKey } from '@app/proofs';
import { instant } from '../format';

/** One check of a record, by this page itself. */
export interface ProofStep {
  readonly name: 'leaf' | 'chain' | 'path' | 'signature' | 'continuity';
  readonly state: StepState;
  /** What was checked, or why it failed, as a sentence. */
  readonly text: string;
}
export type StepState = 'held' | 'failed' | 'unchecked';

/** An event as `GET /audit/events/{stream}/{revision}` returns it. */
export interface RawEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  readonly data: string | null;
  readonly dataDigest: string;
}

/** As `GET /log/proofs` returns it. */
export interface InclusionProof {
  readonly index: number;
  readonly path: readonly string[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** As `GET /log/consistency` returns it. */
export interface ConsistencyProof {
  readonly older: string;
  readonly later: string;
  readonly path: readonly string[];
}

const held = (name: ProofStep['name'], text: string): ProofStep => ({ name, state: 'held', text });
const failed = (name: ProofStep['name'], text: string): ProofStep => ({ name, state: 'failed', text });
const unchecked = (name: ProofStep['name'], text: string): ProofStep => ({ name, state: 'unchecked', text });

const count = (value: number): string => value.toLocaleString('en');
const events = (value: number): string => `${count(value)} ${value === 1 ? 'event' : 'events'}`;

const hashesOf = (path: readonly string[]): readonly Uint8Array[] | undefined => {
  const hashes = path.map(fromBase64).filter((hash) => hash !== undefined);
  return hashes.length === path.length ? hashes : undefined;
};

const textOf = ({ data, ...event }: RawEvent) => ({ ...event, data: data ?? undefined });

const previousHashIn = (metadata: string): unknown => {
  try {
    return (JSON.parse(metadata) as { readonly previousHash?: unknown } | null)?.previousHash;
  } catch {
    return undefined;
  }
};

/** Whether an event follows the event before it in its stream. @param before undefined if that event was not read */
export const chainStep = (event: RawEvent, before: RawEvent | undefined): ProofStep => {
  const previous = previousHashIn(event.metadata);
  if (event.revision === 0)
    return previous === null
      ? held('chain', 'It is the first event of its stream.')
      : failed('chain', 'It should be the first event of its stream, but names an event before it.');
  const link = before?.revision === event.revision - 1 && before.stream === event.stream ? linkOf(textOf(before)) : undefined;
  if (link === undefined)
    return unchecked(
      'chain',
      before === undefined
        ? 'The event before it was not read.'
        : 'The data of the event before it are withheld, so its hash cannot be computed here.',
    );
  return previous === link
    ? held('chain', 'It names the hash of the event before it in its stream.')
    : failed('chain', 'It does not name the hash of the event before it: one of the two was changed, or one is missing between them.');
};

/** Whether the trusted key signed the checkpoint. */
export const signatureStep = (checkpoint: Checkpoint, key: LogKey | undefined): ProofStep => {
  if (key === undefined) return unchecked('signature', 'This browser trusts no key yet. Paste the published key of the log.');
  if (!key.hasSigned(checkpoint.note, checkpoint.origin))
    return failed('signature', `The trusted key did not sign the checkpoint of ${events(checkpoint.size)}.`);
  const at = checkpoint.signedAt === undefined ? '' : ` at ${instant(checkpoint.signedAt)}`;
  return held('signature', `The trusted key signed the checkpoint of ${events(checkpoint.size)}${at}.`);
};

/** Leaf, path and signature of an event, from its raw text. */
export const eventSteps = (event: RawEvent, proof: InclusionProof, key: LogKey | undefined): readonly ProofStep[] => {
  const leaf = leafOf(textOf(event));
  const isWithheld = event.data === null;
  const leafStep = held(
    'leaf',
    isWithheld
      ? 'This page computed the leaf from the event’s text and the digest of its data. The data are withheld, because they could charge a card.'
      : 'This page computed the leaf from the event’s text.',
  );
  const checkpoint = readCheckpoint(proof.checkpoint);
  if (checkpoint === undefined) return [leafStep, failed('signature', 'The proof contains no checkpoint.')];
  const path = hashesOf(proof.path);
  const isHeld = path !== undefined && isIncluded(leaf, proof.index, checkpoint, path);
  return [
    leafStep,
    isHeld
      ? held(
          'path',
          `A path of ${count(path.length)} hashes leads from the leaf, number ${count(proof.index)}, to the root over ${events(checkpoint.size)}.`,
        )
      : failed('path', `The event is not number ${count(proof.index)} of the log that was signed: it was changed, moved or replaced.`),
    signatureStep(checkpoint, key),
  ];
};

const isSameHead = (a: Checkpoint, b: Checkpoint): boolean =>
  a.origin === b.origin && a.size === b.size && a.root.every((byte, at) => byte === b.root[at]);

/**
 * Whether one checkpoint's log begins with the other's.
 * @param proof undefined if the port has none
 */
export const continuityStep = (seen: Checkpoint, now: Checkpoint, proof: ConsistencyProof | undefined): ProofStep => {
  if (seen.origin !== now.origin)
    return failed('continuity', `The log is called ${now.origin}, but this browser knows it as ${seen.origin}.`);
  const [older, later] = seen.size <= now.size ? [seen, now] : [now, seen];
  if (isSameHead(older, later)) return held('continuity', `It is the checkpoint of ${events(now.size)} that this browser saw last.`);
  if (older.size === later.size)
    return failed('continuity', `Two checkpoints of ${events(now.size)} have different roots: the log has two versions.`);
  if (proof === undefined)
    return failed('continuity', `The service cannot prove that the log continues the ${events(seen.size)} that this browser saw.`);
  const [from, to, path] = [readCheckpoint(proof.older), readCheckpoint(proof.later), hashesOf(proof.path)];
  const isOfThese = from !== undefined && to !== undefined && isSameHead(from, older) && isSameHead(to, later);
  return isOfThese && path !== undefined && isConsistent(older, later, path)
    ? held('continuity', `The log of ${events(later.size)} begins with the ${events(older.size)} of the older checkpoint.`)
    : failed(
        'continuity',
        `The log of ${events(later.size)} does not begin with the ${events(older.size)} of the older checkpoint: it was changed.`,
      );
};

/** `failed` if any step failed, `unchecked` if one could not be checked. */
export const outcomeOf = (steps: readonly ProofStep[]): StepState => {
  if (steps.some(({ state }) => state === 'failed')) return 'failed';
  return steps.some(({ state }) => state === 'unchecked') ? 'unchecked' : 'held';
};
