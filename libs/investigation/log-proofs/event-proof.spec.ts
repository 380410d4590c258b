import fc from 'fast-check';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter, newEvents } from '@app/event-store/testing';
import { StoreUnavailable, type StoredEvent, type StreamName } from '@app/event-store';
import { EndableDeadline } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { type SignedCheckpoint, readSigningKey } from './checkpoint';
import { CheckpointStore } from './checkpoint-stores';
import {
  consistencyProblem,
  consistencyProofOf,
  consistencyProofText,
  type EventProof,
  EventProofs,
  eventProofProblem,
  eventProofText,
  type ProofResult,
  readProof,
} from './event-proof';
import { isIncluded, leafHash } from './merkle';
import { keyOfSeed } from './testing/log-keys';
import { MemoryFiles } from './testing/memory-files';
import { checkpointsIn, eventsIn, ORIGIN, signLog } from './testing/signed-log';
import { TileDamaged } from './tiles';
import { parseLeaf, leafText } from './log-tree';

const key = readSigningKey(keyOfSeed(1));
const READS_OF_A_STEP = 6;
const LATE = new StoreUnavailable('the time of the request is over');
const A = 'payment-a' as StreamName;
const B = 'payment-b' as StreamName;

const isEventProof = (...claim: Parameters<typeof eventProofProblem>): boolean => eventProofProblem(...claim) === undefined;
const isConsistencyProof = (...claim: Parameters<typeof consistencyProblem>): boolean => consistencyProblem(...claim) === undefined;

/** 605 events, including a foreign one, under checkpoints of 300 and 600 events. */
const signedLog = async () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const files = new MemoryFiles();
  const writer = new ChainedWriter(store);
  const keep = (): Promise<void> => signLog(store, files, clock, key);
  await writer.write(A, 200);
  await store.append('stranger-1' as StreamName, 'no_stream', newEvents('x'));
  await writer.write(B, 100);
  await keep();
  await writer.write(A, 300);
  await keep();
  await writer.write(B, 5);
  const events = await eventsIn(store);
  const source = {
    log: store,
    files,
    places: [new CheckpointStore('log-proofs', files)],
    key: key.verifier,
    origin: ORIGIN,
  };
  const checkpoints = await checkpointsIn(files);
  return { files, events, source, checkpoints: checkpoints as readonly [SignedCheckpoint, SignedCheckpoint] };
};

describe('event that is under no checkpoint', () => {
  it('is new if no checkpoint is ahead of the tree', async () => {
    const { source } = await signedLog();
    await expect((await EventProofs.open(source)).beyond()).resolves.toBeUndefined();
  });

  it.each<[string, (files: MemoryFiles) => void, string]>([
    ['the tree was deleted', ({ files }) => void files.delete('state'), 'origin'],
    ['all files except the log were deleted', ({ files }) => files.clear(), ''],
  ])('is not new if %s but a witness has a checkpoint that covers it', async (_, lose, name) => {
    const { files, events, source, checkpoints } = await signedLog();
    const witness = new MemoryFiles();
    const place = new CheckpointStore('witness', witness);
    for (const one of checkpoints) await place.add(one);
    lose(files);
    const places = [...source.places.slice(0, name === '' ? 1 : 0), place];
    const proofs = await EventProofs.open({ ...source, places, origin: name === '' ? '' : source.origin });
    await expect(proofs.of(events[0] as StoredEvent)).resolves.toStrictEqual({ kind: 'not-covered' });
    await expect(proofs.beyond()).resolves.toStrictEqual({ checkpoint: checkpoints[1], place: 'witness' });
    const byOther = await EventProofs.open({ ...source, places, origin: '', key: readSigningKey(keyOfSeed(2)).verifier });
    await expect(byOther.beyond()).resolves.toBeUndefined();
  });

  it('is proven from the other places if one place cannot be read, and that place is reported', async () => {
    const { events, source } = await signedLog();
    const away = { ...source.places[0], name: 'away', newest: () => Promise.reject(new Error('no such folder')) } as never;
    const proofs = await EventProofs.open({ ...source, places: [away, ...source.places] });
    expect(proofs.unread).toStrictEqual([{ place: 'away', problem: 'no such folder' }]);
    await expect(proofs.of(events[0] as StoredEvent)).resolves.toMatchObject({ kind: 'proof' });
    await expect(proofs.beyond()).resolves.toBeUndefined();
  });
});

const proofIn = (made: ProofResult): EventProof => {
  if (made.kind !== 'proof') throw new Error(made.kind);
  return made.proof;
};

describe('proof that an event is in the log', () => {
  it('is made for every event under the newest checkpoint, and is verifiable by itself', async () => {
    const { events, source } = await signedLog();
    const proofs = await EventProofs.open(source);
    let index = 0;
    for (const event of events.slice(0, 601)) {
      const made = await proofs.of(event);
      if (event.stream === 'stranger-1') {
        expect(made).toStrictEqual({ kind: 'no-leaf' });
        continue;
      }
      const proof = proofIn(made);
      expect([proof.index, parseLeaf(proof.leaf)?.id]).toStrictEqual([index, event.id]);
      expect(isEventProof(proof, key.verifier)).toBe(true);
      index += 1;
    }
    await expect(proofs.of(events.at(-1) as StoredEvent)).resolves.toStrictEqual({ kind: 'not-covered' });
  });

  it('is made for several events under the oldest checkpoint that covers them all', async () => {
    const { events, source, checkpoints } = await signedLog();
    const proofs = await EventProofs.open(source);
    const inTree = events.filter(({ stream }) => stream !== 'stranger-1');
    for (const [chosen, checkpoint] of [
      [[299, 0, 7], checkpoints[0]],
      [[0, 300], checkpoints[1]],
      [[599], checkpoints[1]],
    ] as const) {
      const made = await proofs.together(chosen.map((at) => inTree[at] as StoredEvent));
      if (made.kind !== 'places') throw new Error(made.kind);
      expect(made.checkpoint.note).toBe(checkpoint.note);
      expect(made.places.map(({ index }) => index)).toEqual(chosen);
      for (const { index, path } of made.places) {
        const leaf = leafHash(leafText(inTree[index] as StoredEvent));
        expect(isIncluded({ leaf, index, size: checkpoint.size, root: checkpoint.root }, path)).toBe(true);
      }
    }
    await expect(proofs.together([inTree[0] as StoredEvent, inTree[600] as StoredEvent])).resolves.toEqual({ kind: 'not-covered' });
    const stranger = events.find(({ stream }) => stream === 'stranger-1') as StoredEvent;
    await expect(proofs.together([inTree[0] as StoredEvent, stranger])).resolves.toEqual({ kind: 'no-leaf' });
    await expect(proofs.together([{ ...(inTree[3] as StoredEvent), type: 'Other' }])).resolves.toEqual({ kind: 'event-differs', index: 3 });
    const other = await EventProofs.open({ ...source, key: readSigningKey(keyOfSeed(2)).verifier });
    await expect(other.together([inTree[0] as StoredEvent])).resolves.toEqual({ kind: 'not-covered' });
  });

  it.each([1, 2, 3, 10])('stops once the deadline of the caller passes, at read %i of the tree', async (last) => {
    const { events, source, files } = await signedLog();
    const deadline = new EndableDeadline();
    let reads = 0;
    const read = (path: string): Promise<Buffer | undefined> => {
      reads += 1;
      if (reads === last) deadline.end();
      return files.read(path);
    };
    const counted = { ...source, files: Object.assign(Object.create(files) as MemoryFiles, { read }), deadline };
    const made = EventProofs.open(counted).then((proofs) => proofs.together(events.slice(0, 200)));
    await expect(made).rejects.toThrow(LATE);
    expect(reads - last).toBeLessThanOrEqual(READS_OF_A_STEP);
  });

  it('stops once the deadline of the caller passes, even if the log yields nothing', async () => {
    const { events, source } = await signedLog();
    const deadline = new EndableDeadline();
    const silent = {
      ...source,
      log: {
        subscribe: () => {
          const ended = new EndableDeadline();
          return {
            cancel: () => Promise.resolve(ended.end()),
            // eslint-disable-next-line require-yield -- that it yields nothing is what is tested
            async *[Symbol.asyncIterator]() {
              deadline.end();
              await new Promise<void>((resolve) => ended.whenOver(resolve));
            },
          };
        },
        comparePositions: source.log.comparePositions.bind(source.log),
      } as unknown as typeof source.log,
      deadline,
    };
    await expect((await EventProofs.open(silent)).together(events.slice(0, 1))).rejects.toThrow(LATE);
  });

  it('is not made for an event that was changed', async () => {
    const { events, source } = await signedLog();
    const proofs = await EventProofs.open(source);
    await expect(proofs.of({ ...(events[300] as StoredEvent), data: '{}' })).resolves.toStrictEqual({ kind: 'event-differs', index: 299 });
  });

  it('is not made by another key, nor from a tree that does not match its checkpoint', async () => {
    const { files, source } = await signedLog();
    const other = await EventProofs.open({ ...source, key: readSigningKey(keyOfSeed(2)).verifier });
    expect(other.checkpoint).toBeUndefined();
    const tile = files.files.get('tile/0/000') as Buffer;
    tile[0] = (tile[0] ?? 0) ^ 1;
    const level1 = files.files.get('tile/1/000.p/2') as Buffer;
    level1[0] = (level1[0] ?? 0) ^ 1;
    await expect(EventProofs.open(source)).rejects.toStrictEqual(
      new TileDamaged('the tree has another root than the checkpoint of 600 events'),
    );
  });

  it('is refused if any character of its file changes, and for another key', async () => {
    const { events, source } = await signedLog();
    const proof = proofIn(await (await EventProofs.open(source)).of(events[123] as StoredEvent));
    const text = eventProofText(proof);
    expect(
      text
        .split('\n')
        .slice(0, 3)
        .map((line) => line.split(' ')[0]),
    ).toStrictEqual(['c2sp.org/tlog-proof@v1', 'extra', 'index']);
    const holds = (file: string): boolean => {
      const read = readProof(file);
      return read?.kind === 'event' && isEventProof(read.proof, key.verifier);
    };
    expect(readProof(text)).toStrictEqual({ kind: 'event', proof });
    expect(holds(text)).toBe(true);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0aA/ \n'), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        fc.pre(changed !== text);
        expect(holds(changed)).toBe(false);
      }),
      { numRuns: 500 },
    );
    expect(isEventProof(proof, readSigningKey(keyOfSeed(2)).verifier)).toBe(false);
  });
});

describe('proof that a later checkpoint is consistent with an older one', () => {
  it('is verifiable by itself, is read back from its file, and is refused if anything in it changes', async () => {
    const { files, checkpoints } = await signedLog();
    const proof = await consistencyProofOf(files, ...checkpoints);
    const text = consistencyProofText(proof);
    expect(readProof(text)).toStrictEqual({ kind: 'consistency', proof });
    expect(isConsistencyProof(proof, key.verifier)).toBe(true);
    expect(isConsistencyProof({ ...proof, older: proof.later }, key.verifier)).toBe(false);
    expect(isConsistencyProof({ ...proof, path: proof.path.slice(1) }, key.verifier)).toBe(false);
    expect(isConsistencyProof({ ...proof, path: [...proof.path].reverse() }, key.verifier)).toBe(false);
    expect(isConsistencyProof({ ...proof, later: proof.later.replace('\n600\n', '\n601\n') }, key.verifier)).toBe(false);
    expect(isConsistencyProof(proof, readSigningKey(keyOfSeed(2)).verifier)).toBe(false);
  });

  it('is not made backwards, nor beyond the tree', async () => {
    const { files, checkpoints } = await signedLog();
    const [older, later] = checkpoints;
    await expect(consistencyProofOf(files, later, older)).rejects.toThrow(RangeError);
    await expect(consistencyProofOf(files, older, { ...later, size: 9_999 })).rejects.toThrow(TileDamaged);
  });
});

it.each([
  '',
  'c2sp.org/tlog-proof@v1',
  'c2sp.org/tlog-proof@v1\nextra eA==\nindex 01\n\nnote',
  'payment-orchestrator/consistency-proof@v1\n\nnote',
])('readProof returns undefined for the malformed text %j', (text) => {
  expect(readProof(text)).toBeUndefined();
});
