import type { Operator } from '@app/configuration';
import type { Position, Revision, StoredEvent, StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter, newEvents } from '@app/event-store/testing';
import { EndableDeadline, type MerchantLogin } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { parseCheckpoint, readSigningKey, readVerifyKey } from '../log-proofs/checkpoint';
import { CheckpointStore } from '../log-proofs/checkpoint-stores';
import { consistencyProblem, eventProofProblem } from '../log-proofs/event-proof';
import { parseLeaf } from '../log-proofs/log-tree';
import { keyOfSeed } from '../log-proofs/testing/log-keys';
import { MemoryFiles } from '../log-proofs/testing/memory-files';
import { eventsIn, ORIGIN, signLog } from '../log-proofs/testing/signed-log';
import { LogDamaged, LogInspection } from './log-inspection';

const key = readSigningKey(keyOfSeed(1));
/** The only thing that a browser has in advance. */
const pinned = readVerifyKey(key.textFor(ORIGIN));
const deadline = new EndableDeadline();
const stream = (name: string): StreamName => `${name}-${'a'.repeat(52)}` as StreamName;
const PAYMENT = stream('payment');
const EVERYTHING = {} as Operator;
const OF_OTHER = { merchants: ['other' as MerchantLogin] } as unknown as Operator;
const OF_ACME = { merchants: ['acme' as MerchantLogin] } as unknown as Operator;
const revision = (number: number): Revision => BigInt(number) as Revision;

const start = async ({ isSigned = true, checkpoints = [300, 400] } = {}) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const [files, witness] = [new MemoryFiles(), new MemoryFiles()];
  const writer = new ChainedWriter(store);
  await store.append('stranger-1' as StreamName, 'no_stream', newEvents('x'));
  let written = 0;
  for (const size of checkpoints) {
    await writer.write(PAYMENT, size - written);
    written = size;
    await signLog(store, files, clock, isSigned ? key : undefined, witness);
  }
  await writer.write(PAYMENT, 2);
  const inspection = new LogInspection({
    log: store,
    files,
    witnesses: [new CheckpointStore('witness', witness)],
    key: isSigned ? key : undefined,
    proofs: { health: () => ({ treeSize: 0, checkpoint: undefined, isSigning: isSigned, waitingSince: clock.now(), fault: undefined }) },
  });
  return { inspection, files, witness, store, clock };
};

describe('the overview of the log', () => {
  it('has the newest checkpoint of the log and of each witness, and the public half of the key', async () => {
    const { inspection, store } = await start();
    expect(await inspection.overview(deadline)).toMatchObject({
      origin: ORIGIN,
      keyId: pinned.idFor(ORIGIN).toString('hex'),
      publicKey: key.textFor(ORIGIN),
      head: await store.head(),
      tree: { size: 400 },
      checkpoint: { size: 400, signedAt: expect.stringMatching(/Z$/) },
      witnesses: [{ name: 'witness', newest: { size: 400 }, problem: null }],
      fault: null,
      waitingSince: expect.stringMatching(/Z$/),
    });
  });

  it('has no name and no checkpoint if nothing is signed', async () => {
    const { inspection } = await start({ isSigned: false });
    expect(await inspection.overview(deadline)).toMatchObject({
      origin: null,
      keyId: null,
      publicKey: null,
      tree: { size: 400 },
      checkpoint: null,
      fault: null,
    });
  });

  it('reports a tree that is behind its checkpoint, and a witness that cannot be read', async () => {
    const { inspection, files, witness } = await start();
    files.files.delete('state');
    witness.killAfter(0);
    await witness.write('x', Buffer.alloc(1)).catch(() => undefined);
    expect(await inspection.overview(deadline)).toMatchObject({
      fault: 'the newest checkpoint is of 400 events, and the tree has 0',
      witnesses: [{ newest: null, problem: expect.any(String) }],
    });
  });
});

describe('the checkpoints of the log', () => {
  const SIZES = Array.from({ length: 7 }, (_, index) => (index + 1) * 10);

  it('are listed in pages, each once, the newest first', async () => {
    const { inspection } = await start({ checkpoints: SIZES });
    const sizes: number[][] = [];
    let cursor: string | undefined;
    do {
      const page = await inspection.checkpoints(3, cursor);
      sizes.push(page?.checkpoints.map(({ size }) => size) ?? []);
      cursor = page?.next;
    } while (cursor !== undefined);
    expect(sizes).toStrictEqual([[70, 60, 50], [40, 30, 20], [10]]);
    expect((await inspection.checkpoints(1))?.checkpoints.map(({ note }) => parseCheckpoint(note)?.size)).toStrictEqual([70]);
  });

  it('are listed without an unfinished one, which a crash left', async () => {
    const { inspection, files } = await start({ checkpoints: SIZES });
    await files.append('checkpoints', Buffer.from('payment-orchestrator/log/half'));
    expect((await inspection.checkpoints(1))?.checkpoints.map(({ size }) => size)).toStrictEqual([70]);
  });

  it.each(['5', '0', '99999999', 'x', '-1'])('are refused for a cursor of no page (%s)', async (cursor) => {
    const { inspection } = await start({ checkpoints: SIZES });
    await expect(inspection.checkpoints(3, cursor)).resolves.toBeUndefined();
  });

  it('are an empty page if nothing is signed', async () => {
    const { inspection } = await start({ isSigned: false });
    await expect(inspection.checkpoints(3)).resolves.toStrictEqual({ checkpoints: [] });
  });
});

describe('a proof of an event', () => {
  it('holds under the pinned key, with the bytes of the event, by its stream and by its position', async () => {
    const { inspection, store } = await start();
    const stored = (await eventsIn(store)).find((event) => event.stream === PAYMENT && event.revision === 299n) as StoredEvent;
    const byStream = await inspection.proof({ stream: PAYMENT, revision: revision(299) }, EVERYTHING, deadline);
    const byPosition = await inspection.proof({ position: stored.position }, EVERYTHING, deadline);
    if (byStream.reason !== 'proven') throw new Error(byStream.reason);
    expect(byPosition).toStrictEqual(byStream);
    expect(eventProofProblem(byStream.proof, pinned)).toBeUndefined();
    const event = await inspection.event({ stream: PAYMENT, revision: revision(299) }, EVERYTHING, deadline);
    const { position: _position, storedAt: _storedAt, data, concealed: _concealed, hash: _hash, ...leaf } = event ?? {};
    expect(data).toBe(stored.data);
    expect(parseLeaf(byStream.proof.leaf)).toStrictEqual({ ...leaf, revision: 299n });
  });

  it.each<[string, object, object]>([
    ['is not covered yet', { stream: PAYMENT, revision: revision(401) }, { reason: 'not-covered' }],
    ['does not exist', { stream: PAYMENT, revision: revision(402) }, { reason: 'unknown-event' }],
    ['has another form of position', { position: '1/1' as Position }, { reason: 'unknown-event' }],
    ['is beyond the log', { position: '9999' as Position }, { reason: 'unknown-event' }],
    ['belongs to another service', { stream: 'stranger-1' as StreamName, revision: revision(0) }, { reason: 'no-leaf' }],
  ])('is not made if the event %s', async (_, name, answer) => {
    const { inspection } = await start();
    await expect(inspection.proof(name as never, EVERYTHING, deadline)).resolves.toMatchObject(answer);
  });

  it('is not made if nothing is signed', async () => {
    const { inspection } = await start({ isSigned: false });
    const name = { stream: PAYMENT, revision: revision(1) };
    await expect(inspection.proof(name, EVERYTHING, deadline)).resolves.toMatchObject({ reason: 'nothing-signed' });
  });

  it('fails if the tree is damaged', async () => {
    const { inspection, files } = await start();
    for (const path of [...files.files.keys()].filter((one) => one.startsWith('tile/'))) files.files.set(path, Buffer.alloc(32));
    const name = { stream: PAYMENT, revision: revision(1) };
    await expect(inspection.proof(name, EVERYTHING, deadline)).rejects.toThrow(LogDamaged);
  });
});

it('an event of another merchant is unknown to a limited operator, by its stream and by its position', async () => {
  const { inspection, store } = await start();
  const position = (await eventsIn(store)).find((event) => event.stream === PAYMENT)?.position ?? ('0' as Position);
  const name = { stream: PAYMENT, revision: revision(0) };
  for (const asked of [name, { position }]) {
    await expect(inspection.event(asked, OF_OTHER, deadline)).resolves.toBeUndefined();
    await expect(inspection.proof(asked, OF_OTHER, deadline)).resolves.toStrictEqual({ reason: 'unknown-event' });
    await expect(inspection.event(asked, OF_ACME, deadline)).resolves.toMatchObject({ stream: PAYMENT });
  }
  const foreign = { stream: 'stranger-1' as StreamName, revision: revision(0) };
  await expect(inspection.event(foreign, OF_ACME, deadline)).resolves.toBeUndefined();
});

it('an event with data that could charge a card is shown without them, with the digest of all', async () => {
  const { inspection, store } = await start();
  const cards = stream('cards');
  const [event] = newEvents('one');
  await store.append(cards, 'no_stream', [{ ...event, data: '{"gate":"sim-a","token":"tok_secret"}' }]);
  const shown = await inspection.event({ stream: cards, revision: revision(0) }, EVERYTHING, deadline);
  expect(shown).toMatchObject({ data: null, concealed: { gate: 'sim-a', token: '[withheld]' } });
  expect(shown?.dataDigest).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(shown)).not.toContain('tok_secret');
});

describe('a proof of consistency', () => {
  it.each([400, undefined])('holds under the pinned key (to %p)', async (to) => {
    const { inspection } = await start();
    const proof = await inspection.consistency(300, to);
    if ('reason' in proof) throw new Error(proof.reason);
    expect(consistencyProblem(proof, pinned)).toBeUndefined();
    expect([proof.older, proof.later].map((note) => parseCheckpoint(note)?.size)).toStrictEqual([300, 400]);
  });

  it.each([
    [301, undefined, 'no-checkpoint'],
    [300, 401, 'no-checkpoint'],
    [400, 300, 'backwards'],
  ])('is not made from %i to %p: %s', async (from, to, reason) => {
    const { inspection } = await start();
    await expect(inspection.consistency(from, to)).resolves.toStrictEqual({ reason });
  });
});
