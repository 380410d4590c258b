import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter } from '@app/event-store/testing';
import type { NonEmpty } from '@app/kernel';
import type { EventStore, NewEvent, Revision, StoredEvent, StreamName } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import { FilesPlace } from '../building/checkpoint-place';
import { readIdentity } from '../building/log-identity';
import { LogProofs } from '../building/log-proofs';
import type { TreeFault } from '../building/tree-fault';
import { type Carried, carryCheckpoints, renameLog } from './carry-checkpoints';
import { CheckpointHistory } from '../checkpoints/checkpoint-history';
import { readSigningKey } from '../checkpoints/log-key';
import { keyOfSeed } from '../testing/log-keys';
import { MemoryFiles } from '../testing/memory-files';
import { verifyLog } from '../verifying/verify-log';
import type { VerifyLogReport } from '../verifying/verify-report';

const key = readSigningKey(keyOfSeed(1));
const [A, B] = ['payment-a', 'payment-b'] as StreamName[] as [StreamName, StreamName];
const SOURCE = `payment-orchestrator/log/${'07'.repeat(16)}`;
const COPY = `payment-orchestrator/log/${'09'.repeat(16)}`;
const clock = new VirtualClock();

const signed = async (log: EventStore, files: MemoryFiles, witness?: MemoryFiles): Promise<readonly TreeFault[]> => {
  const faults: TreeFault[] = [];
  const watch = {
    unsigned: () => undefined,
    inconsistent: (fault: TreeFault) => void faults.push(fault),
    rebuilding: () => undefined,
    retrying: (error: unknown) => {
      throw error;
    },
    witnessFailed: () => undefined,
  };
  const random = { bytes: (size: number) => Buffer.alloc(size, 7) };
  await new LogProofs({
    log,
    files,
    key,
    directories: witness === undefined ? [] : [new FilesPlace('witness', witness)],
    receivers: [],
    isKeeper: () => true,
    clock,
    scheduler: clock,
    random,
    watch,
  }).stop();
  return faults;
};
const verified = async (log: EventStore, files: MemoryFiles, witness?: MemoryFiles): Promise<VerifyLogReport> =>
  verifyLog({
    log,
    files,
    places: [new FilesPlace('here', files), ...(witness === undefined ? [] : [new FilesPlace('witness', witness)])],
    key: key.verifier,
    origin: (await readIdentity(files))?.origin ?? '',
    knownCategories: new Set(),
  });
const eventsIn = async (store: EventStore): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for await (const item of store.subscribe('all', 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  return events;
};
const copyOf = async (events: readonly StoredEvent[]): Promise<MemoryEventStore> => {
  const copy = new MemoryEventStore(clock);
  for (const { stream, revision, id, type, data, metadata } of events) {
    const event: NonEmpty<NewEvent> = [{ id, type, data, metadata }];
    await copy.append(stream, revision === 0n ? 'no_stream' : ((revision - 1n) as Revision), event);
  }
  return copy;
};
const source = async () => {
  const log = new MemoryEventStore(clock);
  const files = new MemoryFiles();
  const writer = new ChainedWriter(log);
  await writer.write(A, 5);
  await writer.write(B, 5);
  await signed(log, files);
  await writer.write(A, 5);
  await signed(log, files);
  return { log, files, writer };
};
const carry = (from: { log: EventStore; files: MemoryFiles }, log: EventStore, files: MemoryFiles): Promise<Carried> =>
  carryCheckpoints({
    source: from,
    target: { log, files },
    key: key.verifier,
    knownCategories: new Set(['payment']),
    random: Buffer.alloc(16, 9),
  });

describe('the checkpoints of a log that is copied', () => {
  it.each([
    ['in its order', true],
    ['in another order', false],
  ])('are carried %s: the copy names the source under a name of its own, and keeps its checkpoints', async (_, isSameOrder) => {
    const from = await source();
    const events = await eventsIn(from.log);
    const copy = await copyOf(
      isSameOrder ? events : [...events.filter(({ stream }) => stream === B), ...events.filter(({ stream }) => stream === A)],
    );
    const files = new MemoryFiles();
    const carried = await carry(from, copy, files);
    expect(carried).toMatchObject({ kind: 'carried', origin: COPY, ancestor: { origin: SOURCE, size: 15, isSameOrder } });
    await expect(new CheckpointHistory(files, 'ancestor-1').newest()).resolves.toStrictEqual(
      await new CheckpointHistory(from.files).newest(),
    );
    await expect(signed(copy, files)).resolves.toStrictEqual([]);
    await expect(new CheckpointHistory(files).newest()).resolves.toMatchObject({
      origin: COPY,
      size: 15,
      extensions: [expect.any(String), expect.stringMatching(isSameOrder ? /^after / : /^copy-of /)] as string[],
    });
    await expect(verified(copy, files)).resolves.toMatchObject({ findings: [] });
    await expect(carry(from, copy, files)).resolves.toStrictEqual({ kind: 'named-before', origin: COPY });
  });

  it('are not carried from a log that does not fit them', async () => {
    const from = await source();
    const events = await eventsIn(from.log);
    const forged = await copyOf(events.map((event, index) => (index === 14 ? { ...event, data: '{"content":"forged"}' } : event)));
    const files = new MemoryFiles();
    const carried = await carry({ log: forged, files: from.files }, await copyOf(events), files);
    expect(carried).toMatchObject({ kind: 'source-differs', findings: [{ kind: 'event-differs', at: { index: 14 } }] });
    expect(files.files.size).toBe(0);
  });

  it('are none where nothing was signed', async () => {
    const log = new MemoryEventStore(clock);
    await expect(carry({ log, files: new MemoryFiles() }, log, new MemoryFiles())).resolves.toStrictEqual({ kind: 'nothing-signed' });
  });

  it('say where the copy does not begin with the events that it names', async () => {
    const from = await source();
    const events = await eventsIn(from.log);
    const files = new MemoryFiles();
    await carry(from, await copyOf(events), files);
    const other = await copyOf(events.map((event, index) => (index === 14 ? { ...event, data: '{"content":"forged"}' } : event)));
    await signed(other, files);
    await expect(verified(other, files)).resolves.toMatchObject({ findings: [{ kind: 'ancestor-differs', origin: SOURCE, size: 15 }] });
  });
});

describe('a log that a back-up was restored to', () => {
  const random = Buffer.alloc(16, 9);

  it('goes on under a new name from the newest checkpoint that it fits, and is signed again', async () => {
    const { log, files } = await source();
    const restored = await copyOf((await eventsIn(log)).slice(0, 12));
    await expect(signed(restored, files)).resolves.toMatchObject([{ kind: 'log-shorter' }]);
    const renamed = await renameLog({ log: restored, files }, key.verifier, random);
    expect(renamed).toMatchObject({ kind: 'renamed', origin: COPY, ancestor: { origin: SOURCE, size: 10, isSameOrder: true } });
    await new ChainedWriter(restored).write('payment-new' as StreamName, 3);
    await expect(signed(restored, files)).resolves.toStrictEqual([]);
    await expect(verified(restored, files)).resolves.toMatchObject({ events: 15, findings: [], checkpoints: { newest: { size: 15 } } });
  });

  it('names every log that it goes on from after a second restore, so that a witness with checkpoints of all of them lets it be signed', async () => {
    const { log, files } = await source();
    const witness = new MemoryFiles();
    for await (const one of new CheckpointHistory(files).all()) if (!('unreadable' in one)) await new CheckpointHistory(witness).add(one);
    const events = await eventsIn(log);
    const first = await copyOf(events.slice(0, 12));
    await renameLog({ log: first, files }, key.verifier, random);
    await new ChainedWriter(first).write('payment-new' as StreamName, 3);
    await expect(signed(first, files, witness)).resolves.toStrictEqual([]);
    // Back to before the head from which the first of the names went on.
    const second = await copyOf(events.slice(0, 7));
    const renamed = await renameLog({ log: second, files }, key.verifier, Buffer.alloc(16, 10));
    expect(renamed).toMatchObject({ kind: 'renamed', ancestor: { origin: COPY, size: 0 } });
    await expect(signed(second, files, witness)).resolves.toStrictEqual([]);
    await expect(verified(second, files, witness)).resolves.toMatchObject({
      findings: [],
      ancestors: [
        { origin: SOURCE, size: 0, signed: 15 },
        { origin: COPY, size: 0, signed: 15 },
      ],
    });
  });

  it('keeps its name where it fits all that was signed', async () => {
    const from = await source();
    await expect(renameLog(from, key.verifier, random)).resolves.toStrictEqual({ kind: 'fits' });
    await expect(readIdentity(from.files)).resolves.toMatchObject({ origin: SOURCE });
  });
});
