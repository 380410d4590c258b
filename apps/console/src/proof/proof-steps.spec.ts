import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import { readCheckpoint, readLogKey, type Checkpoint, type LogKey } from '@app/proofs';
import { chainStep, continuityStep, eventSteps, outcomeOf, signatureStep, type InclusionProof, type RawEvent } from './proof-steps';
import { ProofMemory } from './proof-memory';

const sha = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'buffer');
const prefixed = (...texts: readonly string[]): string => texts.map((text) => `${Buffer.byteLength(text)}:${text}`).join('');

const keyOf = (seed: number) => {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const raw = Buffer.concat([Buffer.of(1), createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const idOf = (name: string): Buffer => sha(`${name}\n`, raw).subarray(0, 4);
  const read = readLogKey(`log+${idOf('log').toString('hex')}+${raw.toString('base64')}`) as LogKey;
  const checkpoint = (size: number, root: Buffer, origin = 'log'): Checkpoint => {
    const text = `${origin}\n${size}\n${root.toString('base64')}\ntime 2026-11-24T08:30:00.000Z\n`;
    const signature = Buffer.concat([idOf(origin), sign(null, Buffer.from(text), secret)]).toString('base64');
    return readCheckpoint(`${text}\n\u2014 ${origin} ${signature}\n`) as Checkpoint;
  };
  return { read, checkpoint };
};
const key = keyOf(1);
const otherKey = keyOf(2);

const linkOf = ({ id, type, data, metadata }: RawEvent): string => sha(prefixed(id, type, data ?? '', metadata)).toString('hex');
const eventAfter = (before: RawEvent | null, data: string): RawEvent => ({
  stream: 'payment-1',
  revision: before === null ? 0 : before.revision + 1,
  id: `id-${data}`,
  type: 'Type',
  metadata: JSON.stringify({ previousHash: before === null ? null : linkOf(before) }),
  data,
  dataDigest: hash('sha256', data, 'hex'),
});
const first = eventAfter(null, '{"é":1}');
const second = eventAfter(first, '{"token":"secret"}');
const third = eventAfter(second, '{}');
const leafOf = (event: RawEvent): Buffer => {
  const { stream, revision, id, type, dataDigest, metadata } = event;
  return sha(Buffer.of(0), prefixed('log-leaf-1', stream, String(revision), id, type, dataDigest, metadata));
};
const [a, b, c] = [first, second, third].map(leafOf) as [Buffer, Buffer, Buffer];
const pair = sha(Buffer.of(1), a, b);
const root = sha(Buffer.of(1), pair, c);
const checkpoint = key.checkpoint(3, root);
const proofOf = (index: number, path: readonly Buffer[], of = checkpoint): InclusionProof => ({
  index,
  path: path.map((node) => node.toString('base64')),
  checkpoint: of.note,
});
const statesOf = (steps: ReturnType<typeof eventSteps>) => Object.fromEntries(steps.map(({ name, state }) => [name, state]));

describe('the steps of an event', () => {
  it('hold for an event as it was signed, with its data or only their digest', () => {
    for (const event of [second, { ...second, data: null }]) {
      const steps = eventSteps(event, proofOf(1, [a, c]), key.read);
      expect(outcomeOf(steps)).toBe('held');
    }
    expect(eventSteps(second, proofOf(1, [a, c]), key.read).map(({ text }) => text)).toStrictEqual([
      'This page computed the leaf from the event’s text.',
      'A path of 2 hashes leads from the leaf, number 1, to the root over 3 events.',
      'The trusted key signed the checkpoint of 3 events at 2026-11-24\u00a008:30:00\u00a0UTC.',
    ]);
  });

  it.each<[string, RawEvent, InclusionProof, string]>([
    ['other data', { ...second, data: '{}' }, proofOf(1, [a, c]), 'path'],
    ['another digest of withheld data', { ...second, data: null, dataDigest: '00' }, proofOf(1, [a, c]), 'path'],
    ['another time', { ...second, metadata: '{}' }, proofOf(1, [a, c]), 'path'],
    ['another place', second, proofOf(0, [a, c]), 'path'],
    ['another path', second, proofOf(1, [c, a]), 'path'],
    ['a path that is no base 64', second, { ...proofOf(1, [a, c]), path: ['*', ''] }, 'path'],
    ['a checkpoint of another key', second, proofOf(1, [a, c], otherKey.checkpoint(3, root)), 'signature'],
    ['a checkpoint without a signature', second, { ...proofOf(1, [a, c]), checkpoint: 'log\n3\nAAAA\n' }, 'signature'],
  ])('fail for an event with %s', (_what, event, proof, failing) => {
    const steps = eventSteps(event, proof, key.read);
    expect(statesOf(steps)).toMatchObject({ [failing]: 'failed' });
    expect(outcomeOf(steps)).toBe('failed');
  });

  it('are incomplete without a trusted key', () => {
    expect(outcomeOf(eventSteps(second, proofOf(1, [a, c]), undefined))).toBe('unchecked');
  });
});

describe('the chain of a stream', () => {
  it.each<[string, RawEvent, RawEvent | undefined, string]>([
    ['holds for a first event', first, undefined, 'held'],
    ['holds for the next event', second, first, 'held'],
    ['fails if the event before was changed', second, { ...first, data: '{}' }, 'failed'],
    ['fails for a first event that names another', { ...first, metadata: second.metadata }, undefined, 'failed'],
    ['fails for an event without a hash', { ...second, metadata: 'no JSON' }, first, 'failed'],
    ['is unchecked after withheld data', third, { ...second, data: null }, 'unchecked'],
    ['is unchecked without the event before', third, undefined, 'unchecked'],
    ['is unchecked after an event of another stream', second, { ...first, stream: 'payment-2' }, 'unchecked'],
  ])('%s', (_what, event, before, state) => {
    expect(chainStep(event, before).state).toBe(state);
  });
});

describe('the continuity of the log', () => {
  const older = key.checkpoint(2, pair);
  const proof = { older: older.note, later: checkpoint.note, path: [c.toString('base64')] };

  it('holds for a log that grew, in both directions, and for the same checkpoint', () => {
    expect(continuityStep(older, checkpoint, proof).state).toBe('held');
    expect(continuityStep(checkpoint, older, proof).state).toBe('held');
    expect(continuityStep(older, key.checkpoint(2, pair), undefined).state).toBe('held');
  });

  it.each<[string, Checkpoint, Checkpoint, typeof proof | undefined]>([
    ['without a proof', older, checkpoint, undefined],
    ['for another log', older, key.checkpoint(3, root, 'log-2'), proof],
    ['for two roots of one size', older, key.checkpoint(2, c), undefined],
    ['for a proof of other checkpoints', key.checkpoint(2, c), checkpoint, proof],
    ['for a wrong path', older, checkpoint, { ...proof, path: [a.toString('base64')] }],
    ['for a path that is no base 64', older, checkpoint, { ...proof, path: ['*'] }],
  ])('fails %s', (_what, seen, now, given) => {
    expect(continuityStep(seen, now, given).state).toBe('failed');
  });
});

describe('what a browser trusts', () => {
  const memory = () => {
    const texts = new Map<string, string>();
    const store = {
      getItem: (name: string) => texts.get(name) ?? null,
      setItem: (name: string, text: string) => void texts.set(name, text),
      removeItem: (name: string) => void texts.delete(name),
    };
    return { proof: new ProofMemory(store), texts };
  };

  it('is a pasted key, and the largest checkpoint that it signed', () => {
    const { proof } = memory();
    expect(proof.trust('no key')).toBeUndefined();
    expect([proof.key(), proof.checkpoint()]).toStrictEqual([undefined, undefined]);
    proof.saw(checkpoint);
    expect(proof.checkpoint()).toBeUndefined();
    expect(proof.trust(` ${key.read.text}\n`)?.publicKey).toBe(key.read.publicKey);
    proof.saw(checkpoint);
    proof.saw(key.checkpoint(2, pair));
    proof.saw(otherKey.checkpoint(9, root));
    expect(proof.checkpoint()?.note).toBe(checkpoint.note);
    expect(signatureStep(checkpoint, proof.key()).state).toBe('held');
  });

  it('is forgotten with its key, or with another key', () => {
    const { proof, texts } = memory();
    proof.trust(key.read.text);
    proof.saw(checkpoint);
    proof.trust(otherKey.read.text);
    expect(proof.checkpoint()).toBeUndefined();
    proof.forget();
    expect([...texts]).toStrictEqual([]);
  });
});
