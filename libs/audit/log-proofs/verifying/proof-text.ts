import type { ConsistencyProof, EventProof } from './event-proof';

/** The first line of a proof of an event (C2SP tlog-proof). */
const EVENT_PROOF = 'c2sp.org/tlog-proof@v1';
/** The first line of a proof of consistency: our own, after the same pattern. */
const CONSISTENCY_PROOF = 'payment-orchestrator/consistency-proof@v1';

/** A proof file is refused beyond this: an event has at most a million bytes, and base 64 makes a third more of them. */
export const PROOF_CHARACTERS_MAX = 2_000_000;
const INDEX = /^index (0|[1-9]\d{0,15})$/;
const HASH = /^[A-Za-z0-9+/]{43}=$/;
/** A tree of as many leaves as a number holds has no longer path. */
const PATH_HASHES_MAX = 64;

/** The proof as a file (C2SP tlog-proof); the event's leaf is its `extra`. */
export const eventProofText = ({ leaf, index, path, checkpoint }: EventProof): string =>
  [EVENT_PROOF, `extra ${Buffer.from(leaf).toString('base64')}`, `index ${index}`, ...path, '', checkpoint].join('\n');

/** The proof as a file: a line that says what it is, the hashes, an empty line, and both checkpoints with an empty line between them. */
export const consistencyProofText = ({ older, later, path }: ConsistencyProof): string =>
  [CONSISTENCY_PROOF, ...path, '', older, later].join('\n');

export type ReadProof =
  { readonly kind: 'event'; readonly proof: EventProof } | { readonly kind: 'consistency'; readonly proof: ConsistencyProof };

/** Reads a proof of either kind; undefined where the text is none. It says nothing about whether the proof holds. */
export const readProof = (text: string): ReadProof | undefined => {
  if (text.length > PROOF_CHARACTERS_MAX) return undefined;
  const end = text.indexOf('\n\n');
  const [kind, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const rest = text.slice(end + 2);
  if (kind === EVENT_PROOF) {
    const [extra = '', index = '', ...path] = lines;
    const [, number] = INDEX.exec(index) ?? [];
    if (!extra.startsWith('extra ') || number === undefined || !isPath(path)) return undefined;
    const leaf = Buffer.from(extra.slice('extra '.length), 'base64').toString('utf8');
    // A text has one form alone, so that no two files are the same proof.
    if (`extra ${Buffer.from(leaf).toString('base64')}` !== extra) return undefined;
    return { kind: 'event', proof: { leaf, index: Number(number), path, checkpoint: rest } };
  }
  if (kind !== CONSISTENCY_PROOF || !isPath(lines)) return undefined;
  // A checkpoint has one empty line, before its signatures.
  const between = rest.indexOf('\n\n', rest.indexOf('\n\n') + 1);
  if (between < 0) return undefined;
  return { kind: 'consistency', proof: { older: rest.slice(0, between + 1), later: rest.slice(between + 2), path: lines } };
};

const isPath = (lines: readonly string[]): boolean => lines.length <= PATH_HASHES_MAX && lines.every((line) => HASH.test(line));
