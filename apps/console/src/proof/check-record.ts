import { readCheckpoint, type Checkpoint, type LogKey } from '@app/proofs';
import { answerOf, port, PortRefusal, type Schemas } from '../port';
import type { ProofMemory } from './proof-memory';
import { chainStep, continuityStep, eventSteps, signatureStep, type ConsistencyProof, type ProofStep, type RawEvent } from './proof-steps';

/** Undefined if the port has no such proof. @throws PortRefusal for any other reason */
const consistencyOf = async (older: number, later: number): Promise<ConsistencyProof | undefined> => {
  try {
    return await answerOf(port.GET('/log/consistency', { params: { query: { from: String(older), to: String(later) } } }));
  } catch (error) {
    if (error instanceof PortRefusal && error.status === 404) return undefined;
    throw error;
  }
};

/** Whether one checkpoint continues the other. @throws PortRefusal */
export const continuityBetween = async (seen: Checkpoint, now: Checkpoint): Promise<ProofStep> => {
  const [older, later] = seen.size <= now.size ? [seen, now] : [now, seen];
  return continuityStep(seen, now, older.size === later.size ? undefined : await consistencyOf(older.size, later.size));
};

const FIRST: ProofStep = {
  name: 'continuity',
  state: 'held',
  text: 'It is the first checkpoint that this browser sees. Each later one must continue it.',
};
const UNTRUSTED: ProofStep = {
  name: 'continuity',
  state: 'unchecked',
  text: 'Only checkpoints under a trusted key are remembered and compared.',
};

/** Signature, and continuity with the last checkpoint that this browser saw. Remembers a checkpoint that holds. @throws PortRefusal */
export const checkpointSteps = async (note: string, key: LogKey | undefined, memory: ProofMemory): Promise<readonly ProofStep[]> => {
  const checkpoint = readCheckpoint(note);
  if (checkpoint === undefined) return [{ name: 'signature', state: 'failed', text: 'The service returned no checkpoint.' }];
  const signature = signatureStep(checkpoint, key);
  if (signature.state !== 'held') return [signature, UNTRUSTED];
  const seen = memory.checkpoint();
  const continuity = seen === undefined ? FIRST : await continuityBetween(seen, checkpoint);
  if (continuity.state === 'held') memory.saw(checkpoint);
  return [signature, continuity];
};

interface CheckedEvent {
  readonly event: Schemas['RawEventJson'];
  readonly steps: readonly ProofStep[];
  /** Undefined if the event has no proof. */
  readonly checkpoint: string | undefined;
}

const WITHOUT_PROOF: Readonly<Record<number, ProofStep['state']>> = { 409: 'unchecked', 500: 'failed' };

const withoutProof = (error: unknown): ProofStep => {
  const state = error instanceof PortRefusal ? WITHOUT_PROOF[error.status] : undefined;
  if (state === undefined) throw error;
  return { name: 'path', state, text: `${(error as PortRefusal).message}.` };
};

/**
 * Asks for an event as stored and for its proof, and checks both here.
 * @param before the event before it in its stream, if it was read
 * @throws PortRefusal
 */
export const checkEvent = async (
  { stream, revision }: { readonly stream: string; readonly revision: number },
  key: LogKey | undefined,
  before?: RawEvent,
): Promise<CheckedEvent> => {
  const place = { stream, revision: String(revision) };
  const [event, proof] = await Promise.all([
    answerOf(port.GET('/audit/events/{stream}/{revision}', { params: { path: place } })),
    answerOf(port.GET('/log/proofs', { params: { query: place } })).catch(withoutProof),
  ]);
  const chain = chainStep(event, before);
  return 'state' in proof
    ? { event, steps: [proof, chain], checkpoint: undefined }
    : { event, steps: [...eventSteps(event, proof, key), chain], checkpoint: proof.checkpoint };
};
