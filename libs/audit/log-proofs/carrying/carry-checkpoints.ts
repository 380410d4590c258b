import { FilesPlace } from '../building/checkpoint-place';
import { type LogIdentity, newOrigin, readIdentity, writeIdentity } from '../building/log-identity';
import { hasLeaf, leafText } from '../building/log-leaf';
import { eventsAfter, type ReadableLog } from '../building/read-log';
import { type Ancestor, isCheckpointOf, type SignedCheckpoint } from '../checkpoints/checkpoint';
import { CheckpointHistory } from '../checkpoints/checkpoint-history';
import type { VerifyKey } from '../checkpoints/log-key';
import type { ProofFiles } from '../files/proof-files';
import { Frontier, leafHash } from '../merkle';
import type { LogFinding } from '../verifying/log-finding';
import { verifyLog } from '../verifying/verify-log';

/** A log with the folder of its tree. */
export interface LogWithProofs {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
}

export interface CarrySettings {
  readonly source: LogWithProofs;
  readonly target: LogWithProofs;
  /** Undefined: signatures are not checked. */
  readonly key: VerifyKey | undefined;
  readonly knownCategories: ReadonlySet<string>;
  /** 16 bytes, for the name of the copy. */
  readonly random: Uint8Array;
}

export type Carried =
  /** The source has no checkpoint that the key signed. */
  | { readonly kind: 'nothing-signed' }
  /** The source is not what its checkpoints say: nothing is carried, and the copy must not pass for sound. */
  | { readonly kind: 'source-differs'; readonly findings: readonly LogFinding[] }
  /** The copy has a name of its own and names the source; the source's checkpoints lie beside its own. */
  | { readonly kind: 'carried'; readonly ancestor: Ancestor; readonly origin: string }
  /** The copy had a name already: it was carried before, or has served. */
  | { readonly kind: 'named-before'; readonly origin: string };

/** Where the checkpoints of the n-th ancestor are kept. */
const ancestorPath = (number: number): string => `ancestor-${number}`;

/**
 * Carries the checkpoints of a log to its copy. A copy keeps each stream and not the order between them, so that it gets a name and a tree of its own; its
 * checkpoints name the source's newest one, which the source was found to fit. The caller has compared both logs, event by event.
 * @throws StoreUnavailable
 */
export const carryCheckpoints = async ({ source, target, key, knownCategories, random }: CarrySettings): Promise<Carried> => {
  const known = await readIdentity(target.files);
  if (known !== undefined) return { kind: 'named-before', origin: known.origin };
  const identity = await readIdentity(source.files);
  if (identity === undefined) return { kind: 'nothing-signed' };
  const place = new FilesPlace('the source', source.files);
  const isOwn = (one: SignedCheckpoint): boolean => one.origin === identity.origin && (key === undefined || isCheckpointOf(one, key));
  const newest = await place.newest(isOwn);
  if (newest === undefined) return { kind: 'nothing-signed' };
  const { findings } = await verifyLog({ ...source, places: [place], key, origin: identity.origin, knownCategories });
  const ofLog = findings.filter(({ kind }) => kind !== 'tree-damaged');
  if (ofLog.length > 0) return { kind: 'source-differs', findings: ofLog };
  const isSameOrder = (await rootOf(target.log, newest.size))?.equals(newest.root) === true;
  const ancestor: Ancestor = { origin: identity.origin, size: newest.size, root: newest.root, isSameOrder };
  const ancestors = [...identity.ancestors.map((one) => ({ ...one, isSameOrder: one.isSameOrder && isSameOrder })), ancestor];
  await copyHistory(source.files, target.files, ancestors.length);
  const made: LogIdentity = { origin: newOrigin(random), ancestors };
  await writeIdentity(made, target.files);
  return { kind: 'carried', ancestor, origin: made.origin };
};

/** The root over the first `size` leaves of a log; undefined where it has fewer. */
const rootOf = async (log: ReadableLog, size: number): Promise<Buffer | undefined> => {
  const frontier = new Frontier();
  if (size === 0) return frontier.root();
  for await (const event of eventsAfter(log, 'start')) {
    if (!hasLeaf(event)) continue;
    frontier.push(leafHash(leafText(event)));
    if (frontier.size === size) return frontier.root();
  }
  return undefined;
};

const copyHistory = async (from: ProofFiles, to: ProofFiles, ancestors: number): Promise<void> => {
  // What an interrupted copy left is written anew.
  await to.remove(ancestorPath(ancestors));
  const history = new CheckpointHistory(to, ancestorPath(ancestors));
  for await (const one of new CheckpointHistory(from).all()) if (!('unreadable' in one)) await history.add(one);
};

export type Renamed =
  | { readonly kind: 'renamed'; readonly ancestor: Ancestor; readonly origin: string }
  | { readonly kind: 'fits' }
  | { readonly kind: 'nothing-signed' };

/**
 * Gives a log a new name where its checkpoints are of more or other events than it has, as after a back-up was restored: it goes on from the newest
 * checkpoint that it fits. The old checkpoints are kept, and the tree is built anew. The service must not run. @throws StoreUnavailable
 */
export const renameLog = async ({ log, files }: LogWithProofs, key: VerifyKey, random: Uint8Array): Promise<Renamed> => {
  const identity = await readIdentity(files);
  if (identity === undefined) return { kind: 'nothing-signed' };
  const fitting = await newestFitting(log, files, identity.origin, key);
  if (fitting.isAll) return { kind: 'fits' };
  const ancestor: Ancestor = { origin: identity.origin, size: fitting.size, root: fitting.root, isSameOrder: true };
  // Those that reach further are named too, with what is left of them: a witness that has their checkpoints must find them named.
  const known = identity.ancestors.map((one) => (one.isSameOrder && one.size > fitting.size ? { ...ancestor, origin: one.origin } : one));
  const ancestors = [...known, ancestor];
  await copyHistory(files, files, identity.ancestors.length + 1);
  const made: LogIdentity = { origin: newOrigin(random), ancestors };
  await writeIdentity(made, files);
  // Last, so that a crash before it changes nothing that the next try does not do again.
  await files.remove('checkpoint');
  await files.remove('checkpoints');
  await files.remove('state');
  return { kind: 'renamed', ancestor, origin: made.origin };
};

interface Fitting {
  readonly isAll: boolean;
  readonly size: number;
  readonly root: Buffer;
}

const newestFitting = async (log: ReadableLog, files: ProofFiles, origin: string, key: VerifyKey): Promise<Fitting> => {
  const history = new CheckpointHistory(files).all();
  const frontier = new Frontier();
  let fitting: Fitting = { isAll: true, size: 0, root: frontier.root() };
  const events = eventsAfter(log, 'start');
  try {
    for await (const one of history) {
      if ('unreadable' in one || one.origin !== origin || !isCheckpointOf(one, key) || one.size < frontier.size) continue;
      while (frontier.size < one.size) {
        const next = await events.next();
        if (next.done === true) return { ...fitting, isAll: false };
        if (hasLeaf(next.value)) frontier.push(leafHash(leafText(next.value)));
      }
      if (!frontier.root().equals(one.root)) return { ...fitting, isAll: false };
      fitting = { isAll: true, size: one.size, root: one.root };
    }
    return fitting;
  } finally {
    await events.return(undefined);
  }
};
