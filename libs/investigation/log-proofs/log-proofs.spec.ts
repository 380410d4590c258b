import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter, newEvents } from '@app/event-store/testing';
import { BrokenChain, StoreUnavailable, type EventStore, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import { settle, VirtualClock } from '@app/testing';
import { signCheckpoint, readSigningKey } from './checkpoint';
import { CheckpointHistory, CheckpointStore } from './checkpoint-stores';
import { CHECKPOINT_GAP_MS, FAULT_GAP_MS, LogProofs, ROUND_GAP_MS } from './log-proofs';
import { readTreeState, type TreeFault, type ReadableLog, leafText, parseLeaf } from './log-tree';
import { keyOfSeed } from './testing/log-keys';
import { Killed, MemoryFiles } from './testing/memory-files';
import { checkpointsIn, eventsIn, rootOf } from './testing/signed-log';

const key = readSigningKey(keyOfSeed(1));
const A = 'payment-a' as StreamName;
const B = 'payment-b' as StreamName;

interface Told {
  readonly faults: TreeFault[];
  readonly errors: unknown[];
  readonly rebuilt: string[];
  readonly witnesses: string[];
  unsigned: number;
}

const world = () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const files = new MemoryFiles();
  const witness = new MemoryFiles();
  const writer = new ChainedWriter(store);
  const told: Told = { faults: [], errors: [], rebuilt: [], witnesses: [], unsigned: 0 };
  const proofs = (more: Partial<ConstructorParameters<typeof LogProofs>[0]> = {}): LogProofs =>
    new LogProofs({
      log: store,
      files,
      key,
      directories: [new CheckpointStore('witness', witness)],
      isKeeper: () => true,
      clock,
      scheduler: clock,
      random: { bytes: (size) => Buffer.alloc(size, 7) },
      listener: {
        unsigned: () => (told.unsigned += 1),
        inconsistent: (fault) => told.faults.push(fault),
        rebuilding: ({ message }) => told.rebuilt.push(message),
        retrying: (error) => told.errors.push(error),
        witnessFailed: (name, error) => told.witnesses.push(`${name}: ${(error as Error).message}`),
      },
      ...more,
    });
  return { clock, store, files, witness, writer, told, proofs };
};

/** A round yields to the event loop every 64 events, and each file access takes another tick. */
const TURNS_OF_A_ROUND = 60;
const pass = async (clock: VirtualClock, ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= ROUND_GAP_MS) {
    await clock.advance(Math.min(left, ROUND_GAP_MS));
    await settle(TURNS_OF_A_ROUND);
  }
};

const forgedLog = (store: EventStore, forge: (events: readonly StoredEvent[]) => readonly StoredEvent[]): ReadableLog => ({
  comparePositions: (a, b) => store.comparePositions(a, b),
  read: (stream, from) => store.read(stream, from),
  head: async () => forge(await eventsIn(store)).at(-1)?.position ?? ('0' as Position),
  subscribe: (_, after) => {
    const items = async function* () {
      for (const event of forge(await eventsIn(store)))
        if (after === 'start' || store.comparePositions(event.position, after) > 0) yield { kind: 'event' as const, event };
      yield { kind: 'caught-up' as const };
      return undefined;
    };
    return { [Symbol.asyncIterator]: items, cancel: () => Promise.resolve() };
  },
});

describe('log leaf of an event', () => {
  it('keeps its format in every release, so that old trees stay verifiable', () => {
    const event = { stream: 'payment-é', revision: 12n, id: 'i', type: 'T', data: '{"a":1}', metadata: '{}' } as unknown as StoredEvent;
    const dataDigest = '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862';
    expect(leafText(event)).toBe(`10:log-leaf-110:payment-é2:121:i1:T64:${dataDigest}2:{}`);
    const { data: _data, ...head } = event;
    expect(parseLeaf(leafText(event))).toStrictEqual({ ...head, dataDigest });
  });

  it.each([
    '',
    '10:log-leaf-1',
    '10:log-leaf-21:a1:01:b1:c1:d1:e',
    '10:log-leaf-11:a1:01:b1:c1:d1:ef',
    '10:log-leaf-11:a2:011:b1:c1:d1:e',
    ':',
    '-1:x',
    '9:x',
  ])('is not parsed from %j', (text) => {
    expect(parseLeaf(text)).toBeUndefined();
  });
});

describe('LogProofs', () => {
  it('adds all events to the tree in order, and signs checkpoints at intervals for the log and the witness', async () => {
    const { clock, store, files, witness, writer, told, proofs } = world();
    await writer.write(A, 3);
    const keeper = proofs();
    keeper.start();
    await pass(clock, ROUND_GAP_MS);
    await writer.write(B, 300);
    await writer.write(A, 2);
    await pass(clock, CHECKPOINT_GAP_MS);
    const events = await eventsIn(store);
    const [first, ...others] = await checkpointsIn(files);
    expect(first).toMatchObject({ origin: `payment-orchestrator/log/${'07'.repeat(16)}`, size: 305, root: rootOf(events) });
    expect(others).toStrictEqual([]);
    await expect(checkpointsIn(witness)).resolves.toStrictEqual([first]);
    expect(files.files.get('checkpoint')?.toString()).toBe(first?.note);
    expect(keeper.health()).toMatchObject({ treeSize: 305, isSigning: true, checkpoint: { size: 305 }, fault: undefined });
    await pass(clock, 5 * CHECKPOINT_GAP_MS);
    await expect(checkpointsIn(files)).resolves.toHaveLength(1);
    await writer.write(A);
    await keeper.stop();
    await expect(checkpointsIn(files)).resolves.toMatchObject([{ size: 305 }, { size: 306 }]);
    expect(told).toStrictEqual({ faults: [], errors: [], rebuilt: [], witnesses: [], unsigned: 0 });
  });

  it('keeps the tree without a key, and reports once that nothing is signed', async () => {
    const { store, files, writer, told, proofs } = world();
    await writer.write(A, 5);
    const keeper = proofs({ key: undefined });
    keeper.start();
    await keeper.stop();
    await expect(readTreeState(files)).resolves.toMatchObject({ size: 5, root: rootOf(await eventsIn(store)) });
    await expect(checkpointsIn(files)).resolves.toStrictEqual([]);
    expect(told).toMatchObject({ faults: [], errors: [], unsigned: 1 });
  });

  it('omits events of other services, which have no chain', async () => {
    const { store, files, writer, proofs } = world();
    await writer.write(A, 2);
    await store.append('stranger-1' as StreamName, 'no_stream', newEvents('x'));
    await writer.write(A, 1);
    await proofs().stop();
    const own = (await eventsIn(store)).filter(({ stream }) => stream === A);
    await expect(readTreeState(files)).resolves.toMatchObject({ size: 3, position: '4', root: rootOf(own) });
  });

  it('does nothing in a process that is not the keeper, and continues the tree once it becomes the keeper', async () => {
    const { clock, store, files, writer, proofs } = world();
    let isKeeper = false;
    const waiting = proofs({ isKeeper: () => isKeeper });
    waiting.start();
    await writer.write(A, 300);
    await pass(clock, 2 * CHECKPOINT_GAP_MS);
    expect(files.files.size).toBe(0);
    await proofs().stop();
    isKeeper = true;
    await writer.write(B, 300);
    await pass(clock, 2 * CHECKPOINT_GAP_MS);
    await expect(checkpointsIn(files)).resolves.toMatchObject([{ size: 300 }, { size: 600, root: rootOf(await eventsIn(store)) }]);
    await waiting.stop();
  });

  it('recovers from a kill at any write, with consistent checkpoints', async () => {
    const { store, files, witness, writer, told, proofs } = world();
    await writer.write(A, 250);
    await proofs().stop();
    let kills = 0;
    for (let at = 0; ; at++) {
      await writer.write(at % 2 === 0 ? B : A, 300);
      files.killAfter(at);
      await proofs().stop();
      files.revive();
      await proofs().stop();
      await expect(readTreeState(files)).resolves.toMatchObject({ root: rootOf(await eventsIn(store)) });
      if (told.errors.length === kills) break;
      kills = told.errors.length;
    }
    expect(kills).toBeGreaterThanOrEqual(7);
    expect(told.errors.every((error) => error instanceof Killed)).toBe(true);
    const events = await eventsIn(store);
    const signed = await checkpointsIn(files);
    expect(signed.length).toBeGreaterThanOrEqual(kills);
    for (const { size, root } of [...signed, ...(await checkpointsIn(witness))]) expect(root).toStrictEqual(rootOf(events.slice(0, size)));
    expect(signed.map(({ size }) => size)).toStrictEqual([...new Set(signed.map(({ size }) => size))].sort((a, b) => a - b));
    expect(told).toMatchObject({ faults: [], rebuilt: [] });
  });

  it('rebuilds damaged tiles from the log, consistent with the signed checkpoint', async () => {
    const { store, files, writer, told, proofs } = world();
    await writer.write(A, 600);
    await proofs().stop();
    const tile = files.files.get('tile/0/002.p/88') as Buffer;
    tile[5] = (tile[5] ?? 0) ^ 1;
    await writer.write(A, 1);
    await proofs().stop();
    expect(told).toMatchObject({ faults: [], errors: [], rebuilt: ['the tiles do not have the root of the tree'] });
    await expect(checkpointsIn(files)).resolves.toMatchObject([{ size: 600 }, { size: 601, root: rootOf(await eventsIn(store)) }]);
  });

  it('continues once an unavailable log is back', async () => {
    const { clock, store, files, writer, told, proofs } = world();
    await writer.write(A, 3);
    let isAway = true;
    const log: ReadableLog = {
      ...forgedLog(store, (events) => events),
      head: () => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.head()),
    };
    const keeper = proofs({ log });
    keeper.start();
    await pass(clock, 10_000);
    expect(told.errors.length).toBeGreaterThan(1);
    isAway = false;
    await pass(clock, 60_000);
    await expect(checkpointsIn(files)).resolves.toMatchObject([{ size: 3 }]);
    await keeper.stop();
  });

  it('copies the newest checkpoint to an empty witness, even with nothing new to sign', async () => {
    const { files, witness, writer, proofs } = world();
    await writer.write(A, 3);
    await proofs().stop();
    witness.files.clear();
    await proofs().stop();
    await expect(checkpointsIn(witness)).resolves.toStrictEqual(await checkpointsIn(files));
  });

  it('reports since when a checkpoint has been due, even if none was ever signed', async () => {
    const { clock, files, writer, proofs } = world();
    await writer.write(A, 3);
    files.files.set('origin', Buffer.from('garbage'));
    const keeper = proofs();
    const startedAt = clock.now();
    keeper.start();
    await pass(clock, 3 * CHECKPOINT_GAP_MS);
    expect(keeper.health()).toMatchObject({ checkpoint: undefined, waitingSince: startedAt });
    files.files.delete('origin');
    await pass(clock, 2 * FAULT_GAP_MS);
    expect(keeper.health()).toMatchObject({ checkpoint: { size: 3 }, waitingSince: undefined });
    for (const size of [4, 5]) {
      await writer.write(A);
      await pass(clock, ROUND_GAP_MS);
      expect(keeper.health()).toMatchObject({ treeSize: size, checkpoint: { size: 4 } });
    }
    expect(keeper.health().waitingSince).toBe(clock.now());
    await keeper.stop();
    expect(keeper.health().waitingSince).toBeUndefined();
  });

  it('still signs if a witness cannot be written, and reports that witness', async () => {
    const { files, witness, writer, told, proofs } = world();
    await writer.write(A, 3);
    witness.killAfter(0);
    await proofs().stop();
    await expect(checkpointsIn(files)).resolves.toMatchObject([{ size: 3 }]);
    expect(told.witnesses).toStrictEqual(['witness: killed']);
  });
});

describe('LogProofs on a log that differs from the signed one', () => {
  const signedLog = async () => {
    const made = world();
    await made.writer.write(A, 300);
    await made.writer.write(B, 10);
    await made.proofs().stop();
    return made;
  };
  const changed = (index: number) => (events: readonly StoredEvent[]) =>
    events.map((event, at) => (at === index ? { ...event, data: '{"content":"forged"}' } : event));

  it.each<[string, (events: readonly StoredEvent[]) => readonly StoredEvent[], Partial<TreeFault>]>([
    ['its newest event edited', changed(309), { kind: 'event-differs', index: 309, position: '310', stream: B, revision: 9 }],
    ['its end cut off', (events) => events.slice(0, 290), { kind: 'log-shorter', treeSize: 310 }],
    ['completely deleted', () => [], { kind: 'log-shorter', treeSize: 310 }],
  ])('with %s signs nothing, reports the fault once, and checks again later', async (_, forge, fault) => {
    const { clock, store, files, told, proofs } = await signedLog();
    let isForged = true;
    const keeper = proofs({ log: forgedLog(store, (events) => (isForged ? forge(events) : events)) });
    keeper.start();
    await pass(clock, 3 * FAULT_GAP_MS);
    expect(told.faults).toStrictEqual([fault]);
    expect(keeper.health().fault).toStrictEqual(fault);
    await expect(checkpointsIn(files)).resolves.toHaveLength(1);
    isForged = false;
    await pass(clock, 2 * FAULT_GAP_MS);
    expect(keeper.health().fault).toBeUndefined();
    await keeper.stop();
  });

  it('reports a difference from its checkpoint if the tree was rebuilt from the forged log', async () => {
    const { store, files, told, proofs } = await signedLog();
    for (const path of [...files.files.keys()]) if (!['checkpoints', 'checkpoint', 'origin'].includes(path)) files.files.delete(path);
    await proofs({ log: forgedLog(store, changed(4)) }).stop();
    expect(told.faults).toStrictEqual([{ kind: 'checkpoint-differs', place: 'log-proofs', size: 310 }]);
    await expect(checkpointsIn(files)).resolves.toHaveLength(1);
  });

  it('reports a checkpoint ahead of the tree at the witness if log and tree were rolled back together', async () => {
    const made = world();
    await made.writer.write(A, 5);
    await made.proofs().stop();
    const before = new Map(made.files.files);
    const { store } = made;
    await made.writer.write(A, 5);
    await made.proofs().stop();
    made.files.files.clear();
    for (const [path, bytes] of before) made.files.files.set(path, bytes);
    await made.proofs({ log: forgedLog(store, (events) => events.slice(0, 5)) }).stop();
    expect(made.told.faults).toStrictEqual([{ kind: 'checkpoint-ahead', place: 'witness', size: 10, treeSize: 5 }]);
  });

  it('reports a witness with a checkpoint of another key, leaves it unchanged, and raises no fault for the log', async () => {
    const { files, witness, writer, told, proofs } = await signedLog();
    const [own] = await checkpointsIn(files);
    if (own === undefined) throw new Error('nothing was signed');
    await new CheckpointHistory(witness).add(signCheckpoint({ ...own, size: 999 }, readSigningKey(keyOfSeed(2))));
    const before = new Map(witness.files);
    await writer.write(A);
    await proofs().stop();
    expect(told.faults).toStrictEqual([]);
    expect(told.witnesses).toStrictEqual(['witness: it holds a checkpoint that another key signed, of 999 events: it is left as it is']);
    expect(witness.files).toStrictEqual(before);
    await expect(checkpointsIn(files)).resolves.toHaveLength(2);
  });

  it.each<[string, (files: MemoryFiles) => void, (events: readonly StoredEvent[]) => readonly StoredEvent[]]>([
    ['rolled back', ({ files }) => files.clear(), (events) => events.slice(0, 290)],
    ['changed', ({ files }) => files.clear(), changed(4)],
    ['whole', ({ files }) => files.clear(), (events) => events],
    ['whole, with the checkpoints beside it,', ({ files }) => void files.delete('origin'), (events) => events],
  ])(
    'reports a log that is %s and lost its name as another log, signs nothing, and leaves the witness unchanged',
    async (_, lose, forge) => {
      const { store, files, witness, told, proofs } = await signedLog();
      const [own] = await checkpointsIn(files);
      lose(files);
      const [before, hadCheckpoints] = [new Map(witness.files), files.files.has('checkpoints')];
      const random = { bytes: (size: number) => Buffer.alloc(size, 8) };
      await proofs({ log: forgedLog(store, forge), random }).stop();
      const place = hadCheckpoints ? 'log-proofs' : 'witness';
      expect(told.faults).toStrictEqual([{ kind: 'other-log', place, origin: own?.origin, size: 310 }]);
      expect(witness.files).toStrictEqual(before);
      expect(files.files.has('origin')).toBe(false);
      await expect(checkpointsIn(files)).resolves.toHaveLength(hadCheckpoints ? 1 : 0);
    },
  );

  it('reports a key fault if the witness has only checkpoints of another key', async () => {
    const { files, witness, told, proofs } = await signedLog();
    files.files.clear();
    const before = new Map(witness.files);
    await proofs({ key: readSigningKey(keyOfSeed(2)) }).stop();
    expect(told.faults).toStrictEqual([{ kind: 'other-key', place: 'witness', size: 310 }]);
    expect(witness.files).toStrictEqual(before);
  });

  it('reports a checkpoint ahead of the tree from the newest checkpoint if the history file is missing', async () => {
    const { store, files, witness, told, proofs } = await signedLog();
    files.files.clear();
    witness.files.delete('checkpoints');
    await proofs({ log: forgedLog(store, (events) => events.slice(0, 5)) }).stop();
    expect(told.faults).toStrictEqual([{ kind: 'checkpoint-ahead', place: 'witness', size: 310, treeSize: 5 }]);
  });

  it('signs again once the name of the log is restored', async () => {
    const { clock, files, witness, told, proofs } = await signedLog();
    const name = files.files.get('origin') as Buffer;
    files.files.clear();
    const keeper = proofs({ random: { bytes: (size) => Buffer.alloc(size, 8) } });
    keeper.start();
    await pass(clock, FAULT_GAP_MS);
    expect([told.faults.length, keeper.health().fault?.kind]).toStrictEqual([1, 'other-log']);
    files.files.set('origin', name);
    await pass(clock, 2 * FAULT_GAP_MS);
    expect(keeper.health().fault).toBeUndefined();
    await expect(checkpointsIn(files)).resolves.toStrictEqual(await checkpointsIn(witness));
    await keeper.stop();
  });

  it('keeps the name that an earlier release stored with additional members', async () => {
    const { files, writer, told, proofs } = await signedLog();
    const { origin } = JSON.parse(String(files.files.get('origin'))) as { origin: string };
    files.files.set('origin', Buffer.from(JSON.stringify({ origin, ancestors: [{ origin: 'old/log', size: 7 }] })));
    await writer.write(A);
    await proofs({ random: { bytes: (size) => Buffer.alloc(size, 8) } }).stop();
    expect(told).toMatchObject({ faults: [], errors: [] });
    await expect(checkpointsIn(files)).resolves.toMatchObject([
      { origin, size: 310 },
      { origin, size: 311 },
    ]);
  });

  it('reports a log whose name file is unreadable, and gives it no new name', async () => {
    const { files, writer, told, proofs } = await signedLog();
    files.files.set('origin', Buffer.from('garbage'));
    await writer.write(A);
    await proofs().stop();
    expect(told).toMatchObject({ faults: [{ kind: 'name-unreadable', file: 'origin' }], errors: [] });
    await expect(checkpointsIn(files)).resolves.toHaveLength(1);
  });

  it('signs nothing while an event of the log is unreadable', async () => {
    const { store, files, writer, told, proofs } = await signedLog();
    await writer.write(B, 2, 'request', 'content');
    const log = forgedLog(store, (events) => events);
    const broken: ReadableLog = {
      ...log,
      subscribe: (categories, after) => {
        const items = async function* () {
          for await (const item of log.subscribe(categories, after)) {
            if (item.kind === 'event' && item.event.position === '311')
              throw new BrokenChain(item.event, 'the row does not fit its checksum');
            yield item;
          }
          return undefined;
        };
        return { [Symbol.asyncIterator]: items, cancel: () => Promise.resolve() };
      },
    };
    await proofs({ log: broken }).stop();
    expect(told.faults).toStrictEqual([{ kind: 'event-unreadable', position: '311', stream: B, revision: 10 }]);
    await expect(checkpointsIn(files)).resolves.toHaveLength(1);
  });
});
