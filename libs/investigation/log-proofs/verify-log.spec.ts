import { MemoryEventStore } from '@app/event-store/stores/memory';
import { ChainedWriter, newEvents } from '@app/event-store/testing';
import { BrokenChain, type EventStore, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import { VirtualClock } from '@app/testing';
import { signCheckpoint, readSigningKey, type SigningKey } from './checkpoint';
import { readOrigin } from './checkpoint-issuer';
import { CheckpointHistory, CheckpointStore } from './checkpoint-stores';
import { keyOfSeed } from './testing/log-keys';
import { MemoryFiles } from './testing/memory-files';
import { checkpointsIn, eventsIn, ORIGIN, rootOf, signLog } from './testing/signed-log';
import { verifyLog, type VerifyLogSettings } from './verify-log';
import { findingText, type VerifyLogReport } from './verify-report';
import type { ReadableLog } from './log-tree';

const key = readSigningKey(keyOfSeed(1));
const A = 'payment-a' as StreamName;
const B = 'recurring-b' as StreamName;

const signedLog = async () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const files = new MemoryFiles();
  const witness = new MemoryFiles();
  const writer = new ChainedWriter(store);
  const keep = (log: ReadableLog = store, by: SigningKey | 'no key' = key): Promise<void> =>
    signLog(log, files, clock, by === 'no key' ? undefined : by, witness);
  await writer.write(A, 200);
  await writer.write(B, 50);
  await keep();
  await writer.write(B, 250);
  await keep();
  await writer.write(A, 110);
  await keep();
  await writer.write(A, 10);
  const verify = (events: Forge = (all) => all, more: Partial<VerifyLogSettings> = {}): Promise<VerifyLogReport> =>
    verifyLog({
      log: forgedLog(store, events),
      files,
      places: [new CheckpointStore('log-proofs', files), new CheckpointStore('witness', witness)],
      key: key.verifier,
      origin: ORIGIN,
      knownCategories: new Set(['payment', 'recurring']),
      ...more,
    });
  return { clock, store, files, witness, writer, keep, verify };
};
type Forge = (events: readonly StoredEvent[]) => readonly (StoredEvent | BrokenChain)[];
/** A forgery by someone with disk access: positions have no gaps. */
const forgedLog = (store: EventStore, forge: Forge): ReadableLog => ({
  comparePositions: (a, b) => store.comparePositions(a, b),
  read: (stream, from) => store.read(stream, from),
  head: () => store.head(),
  subscribe: (_, after) => {
    const items = async function* () {
      for (const [index, one] of forge(await eventsIn(store)).entries()) {
        const position = String(index + 1) as Position;
        if (after !== 'start' && store.comparePositions(position, after) <= 0) continue;
        if (one instanceof BrokenChain) throw new BrokenChain({ ...one.event, position }, one.fault);
        yield { kind: 'event' as const, event: { ...one, position } };
      }
      yield { kind: 'caught-up' as const };
      return undefined;
    };
    return { [Symbol.asyncIterator]: items, cancel: () => Promise.resolve() };
  },
});
const forged = (event: StoredEvent): StoredEvent => ({ ...event, data: '{"content":"forged"}' });
const edited =
  (...at: readonly number[]): Forge =>
  (events) =>
    events.map((event, index) => (at.includes(index) ? forged(event) : event));
const without =
  (from: number, count = 1): Forge =>
  (events) => [...events.slice(0, from), ...events.slice(from + count)];
const place = (index: number, stream: StreamName, revision: number) => ({ index, position: String(index + 1), stream, revision });

describe('verifyLog of an unchanged log', () => {
  it('reports no findings, the verified checkpoints and the newest covered size', async () => {
    const { store, verify } = await signedLog();
    await expect(verify()).resolves.toMatchObject({
      isComplete: true,
      events: 620,
      read: 620,
      leftOut: 0,
      treeSize: 610,
      root: rootOf(await eventsIn(store)).toString('base64'),
      checkpoints: { verified: 6, ignored: 0, newest: { size: 610, madeAt: '2024-01-01T00:00:00.000Z', place: 'log-proofs' } },
      findings: [],
      unreachable: [],
    });
  });

  it('reads only the part after a given checkpoint, and finds an edit in that part', async () => {
    const { files, verify } = await signedLog();
    const [, since] = await checkpointsIn(files);
    if (since === undefined) throw new Error('nothing was signed');
    await expect(verify(undefined, { since })).resolves.toMatchObject({ events: 620, read: 620 - 256, findings: [] });
    await expect(verify(edited(609), { since })).resolves.toMatchObject({
      findings: [{ kind: 'event-differs', at: place(609, A, 309), evidence: { kind: 'signed', size: 610 } }],
    });
    const other = { ...since, root: Buffer.alloc(32) };
    await expect(verify(undefined, { since: other })).rejects.toThrow('the tree has another root than the checkpoint of 500 events');
  });

  it('reads the whole first tile if the given checkpoint lies within it', async () => {
    const { files, verify } = await signedLog();
    const [since] = (await checkpointsIn(files)).filter(({ size }) => size === 250);
    await expect(verify(undefined, { ...(since && { since }) })).resolves.toMatchObject({
      events: 620,
      read: 620,
      checkpoints: { newest: { size: 610 } },
      findings: [],
    });
  });

  it('verifies a checkpoint at the end of a tile, and one after it', async () => {
    const { writer, keep, verify } = await signedLog();
    await writer.write(A, 148);
    await keep();
    await writer.write(B, 1);
    await keep();
    await writer.write(A, 300);
    await keep();
    await expect(verify()).resolves.toMatchObject({ events: 1_069, checkpoints: { verified: 12, newest: { size: 1_069 } }, findings: [] });
    await expect(verify((events) => events.slice(0, 768))).resolves.toMatchObject({ checkpoints: { newest: { size: 768 } } });
  });

  it('skips events of other services, but reports an event of a known category without a chain', async () => {
    const { store, verify } = await signedLog();
    await store.append('stranger-1' as StreamName, 'no_stream', newEvents('x'));
    await expect(verify()).resolves.toMatchObject({ events: 620, leftOut: 1, findings: [] });
    await store.append('payment-planted' as StreamName, 'no_stream', newEvents('y'));
    await expect(verify()).resolves.toMatchObject({
      leftOut: 2,
      findings: [{ kind: 'event-without-chain', at: { position: '622', stream: 'payment-planted', revision: 0 } }],
    });
  });

  it('checks the tree and unverified checkpoints if no key is given', async () => {
    const { verify } = await signedLog();
    await expect(verify(undefined, { key: undefined })).resolves.toMatchObject({
      checkpoints: { verified: 6, newest: { size: 610 } },
      findings: [],
    });
    await expect(verify(edited(3), { key: undefined })).resolves.toMatchObject({ findings: [{ kind: 'event-differs' }] });
  });

  it('stops, incomplete, if a stop is requested', async () => {
    const { writer, verify } = await signedLog();
    await writer.write(A, 4_000);
    await expect(verify(undefined, { isStopRequested: () => true })).resolves.toMatchObject({
      isComplete: false,
      read: 4_096,
    });
  });
});

describe('verifyLog of a changed log', () => {
  const signed = (size: number) => ({ kind: 'signed', size, place: 'log-proofs' });

  it.each<[string, Forge, object[]]>([
    ['its first event edited', edited(0), [{ at: place(0, A, 0), difference: 'changed', evidence: signed(250) }]],
    [
      'the newest event of a stream edited, which no hash chain covers',
      edited(499),
      [{ at: place(499, B, 299), difference: 'changed', evidence: signed(500) }],
    ],
    [
      'two edits',
      edited(10, 300),
      [
        { at: place(10, A, 10), difference: 'changed', evidence: signed(250) },
        { at: place(300, B, 100), difference: 'changed', evidence: signed(500) },
      ],
    ],
    [
      'an event taken out',
      without(100),
      [{ at: { index: 100, position: '101', stream: A, revision: 101 }, difference: 'event-missing-before', evidence: signed(250) }],
    ],
    [
      'three events taken out',
      without(300, 3),
      [{ at: { index: 300, stream: B, revision: 103 }, difference: 'order-changed', evidence: signed(500) }],
    ],
    [
      'an event put between others',
      (events) => [...events.slice(0, 30), forged(events[5] as StoredEvent), ...events.slice(30)],
      [{ at: { index: 30, position: '31', stream: A, revision: 5 }, difference: 'event-inserted', evidence: signed(250) }],
    ],
    [
      'two events of different streams in each other’s places',
      (events) => events.map((event, index) => (index === 50 ? events[220] : index === 220 ? events[50] : event) as StoredEvent),
      [
        { at: { index: 50, position: '51', stream: B, revision: 20 }, difference: 'changed', evidence: signed(250) },
        { at: { index: 220, position: '221', stream: A, revision: 50 }, difference: 'changed', evidence: signed(250) },
      ],
    ],
    [
      'the names of two streams swapped',
      (events) => events.map((event) => ({ ...event, stream: event.stream === A ? B : A })),
      Array.from({ length: 1 }, () => ({ at: { index: 0, stream: B }, difference: 'order-changed', evidence: signed(250) })),
    ],
    [
      'a row that does not fit its checksum',
      (events) => events.map((event, index) => (index === 40 ? new BrokenChain(event, 'the row does not fit its checksum') : event)),
      [{ at: place(40, A, 40), difference: 'unreadable', evidence: signed(250) }],
    ],
  ])('with %s reports the first bad position', async (_, forge, expected) => {
    const { verify } = await signedLog();
    const { findings } = await verify(forge);
    const differences = findings.filter(({ kind }) => kind === 'event-differs');
    expect(differences.slice(0, expected.length)).toMatchObject(expected);
    expect(findingText(findings[0] as never)).toContain(`position ${(findings[0] as { at: { position: string } }).at.position}, `);
  });

  it('reports an event missing before the last checkpoint even if no event follows that checkpoint', async () => {
    const { verify } = await signedLog();
    const { findings } = await verify((events) => [...events.slice(0, 600), ...events.slice(601, 610)]);
    expect(findings).toMatchObject([
      { kind: 'event-differs', at: { index: 600 }, difference: 'event-missing-before', evidence: signed(610) },
      { kind: 'log-shorter', events: 609, expected: 610, place: 'log-proofs' },
      { kind: 'log-shorter', events: 609, expected: 610, place: 'witness' },
    ]);
  });

  it.each<[number, string[]]>([
    [609, ['log-proofs', 'witness']],
    [500, ['log-proofs', 'witness']],
    [0, ['log-proofs', 'witness']],
  ])('reports a log cut off after %i events for every place with a later checkpoint', async (left, places) => {
    const { verify } = await signedLog();
    const { findings } = await verify((events) => events.slice(0, left));
    expect(findings).toMatchObject(
      places.map((name) => ({
        kind: 'log-shorter',
        events: left,
        expected: 610,
        place: name,
        ...(left > 0 && { last: { index: left - 1 } }),
      })),
    );
  });

  it('reports a rollback of log and tree together only from the witness', async () => {
    const { files, writer, keep, verify } = await signedLog();
    const before = new Map(files.files);
    await writer.write(A, 5);
    await keep();
    files.files.clear();
    for (const [path, bytes] of before) files.files.set(path, bytes);
    const rolledBack: Forge = (events) => events.slice(0, 620);
    await expect(verify(rolledBack)).resolves.toMatchObject({
      findings: [{ kind: 'log-shorter', events: 620, expected: 625, place: 'witness' }],
    });
    // The limit of the guarantee: someone who controls everything can roll back if there is no witness.
    await expect(verify(rolledBack, { places: [new CheckpointStore('log-proofs', files)] })).resolves.toMatchObject({ findings: [] });
  });

  it('reports a log changed together with its tree as changed between two checkpoints', async () => {
    const { store, files, verify } = await signedLog();
    const kept = new Map(['checkpoints', 'checkpoint', 'origin'].map((path) => [path, files.files.get(path) as Buffer]));
    files.files.clear();
    const forge = edited(300, 400);
    await signLog(forgedLog(store, forge), files, new VirtualClock());
    for (const [path, bytes] of kept) files.files.set(path, bytes);
    const { findings } = await verify(forge);
    expect(findings).toStrictEqual([
      { kind: 'changed-between', good: 250, bad: 500, place: 'log-proofs', from: place(250, B, 50), to: place(499, B, 299) },
    ]);
    expect(findingText(findings[0] as never)).toContain('the events behind the first 250, up to 500');
  });

  it('reports a fork if two different trees of one size were signed', async () => {
    const { files, witness, verify } = await signedLog();
    const origin = (await readOrigin(files)) ?? '';
    witness.files.set('checkpoints', Buffer.alloc(0));
    const fork = signCheckpoint({ origin, size: 500, root: Buffer.alloc(32, 1), extensions: [] }, key);
    await new CheckpointHistory(witness).add(fork);
    const { findings } = await verify();
    expect(findings).toMatchObject([{ kind: 'fork', size: 500, places: ['log-proofs', 'witness'] }]);
  });

  it('reports another log if the key signed under a different name before', async () => {
    const { verify } = await signedLog();
    const { findings } = await verify(undefined, { origin: 'payment-orchestrator/log/other' });
    expect(findings).toMatchObject([{ kind: 'other-log', origin: `payment-orchestrator/log/${'07'.repeat(16)}`, size: 610 }]);
  });

  it('reports checkpoints of an earlier key at the witness as not signed', async () => {
    const { files, verify } = await signedLog();
    const [last] = (await checkpointsIn(files)).slice(-1);
    if (last === undefined) throw new Error('nothing was signed');
    const another = readSigningKey(keyOfSeed(2));
    files.files.delete('checkpoint');
    files.files.set('checkpoints', Buffer.from(`${signCheckpoint(last, another).note}\n\n`));
    const { findings, checkpoints } = await verify(undefined, { key: another.verifier });
    expect(findings).toStrictEqual([{ kind: 'not-signed', place: 'witness', notes: 3 }]);
    expect(checkpoints.places).toMatchObject([
      { place: 'log-proofs', checkpoints: 1, passedOver: 0 },
      { place: 'witness', checkpoints: 0, passedOver: 3 },
    ]);
  });

  it('reports an edit from the tree if no checkpoint covers it, or if the tree differs from the signed one', async () => {
    const { files, verify, keep } = await signedLog();
    await keep(undefined, 'no key');
    await expect(verify(edited(615))).resolves.toMatchObject({
      findings: [{ kind: 'event-differs', at: place(615, A, 315), evidence: { kind: 'tree', isReached: false } }],
    });
    for (const path of ['tile/0/000', 'tile/1/000.p/2']) (files.files.get(path) as Buffer)[0]! ^= 1;
    const { findings } = await verify(edited(0, 300));
    expect(findings[0]).toMatchObject({ kind: 'event-differs', at: place(0, A, 0), evidence: { kind: 'tree', isReached: true } });
    expect(findingText(findings[0] as never)).toContain('by the tree; it is not the tree that was signed');
  });

  it('reports a position gap if the store has every position', async () => {
    const { store, verify } = await signedLog();
    const shifted = (from: number) => {
      const log = forgedLog(store, (all) => all);
      const behind = (position: Position): Position => (Number(position) >= from ? String(Number(position) + 1_000) : position) as Position;
      const subscribe: ReadableLog['subscribe'] = (categories, after) => {
        const items = async function* () {
          for await (const item of log.subscribe(categories, 'start')) {
            if (item.kind !== 'event') yield item;
            else if (after === 'start' || Number(behind(item.event.position)) > Number(after))
              yield { kind: 'event' as const, event: { ...item.event, position: behind(item.event.position) } };
          }
          return undefined;
        };
        return { [Symbol.asyncIterator]: items, cancel: () => Promise.resolve() };
      };
      return { ...log, subscribe };
    };
    const gap = await verify(undefined, { log: shifted(600), hasEveryPosition: true });
    expect(gap.findings).toMatchObject([{ kind: 'position-gap', at: { index: 599, position: '1600' }, expected: 600 }]);
    expect(findingText(gap.findings[0] as never)).toMatch(/^event 599 \(position 1600, .* stands where position 600 is expected/);
    await expect(verify(undefined, { hasEveryPosition: true })).resolves.toMatchObject({ findings: [] });
    await expect(verify(undefined, { log: shifted(600) })).resolves.toMatchObject({ findings: [] });
  });

  it('reports that no checkpoint was verified if all of them are signed with another key', async () => {
    const { verify } = await signedLog();
    const { findings, checkpoints } = await verify(undefined, { key: readSigningKey(keyOfSeed(2)).verifier });
    const empty = { checkpoints: 0, ofOtherLogs: 0, passedOver: 3 };
    expect([checkpoints, findings]).toStrictEqual([
      {
        verified: 0,
        ignored: 6,
        newest: undefined,
        largest: 0,
        places: ['log-proofs', 'witness'].map((name) => ({ place: name, ...empty })),
      },
      [{ kind: 'none-verified', places: ['log-proofs', 'witness'] }],
    ]);
  });
});

describe('verifyLog with a damaged tree', () => {
  it.each<[string, (files: MemoryFiles) => void, RegExp]>([
    ['a leaf changed', ({ files }) => void ((files.get('tile/0/000') as Buffer)[40]! ^= 1), /its leaf 1 is another one/],
    ['a tile missing', ({ files }) => void files.delete('tile/0/001'), /tile\/0\/001 is missing/],
    [
      'a hash above the leaves changed',
      ({ files }) => void ((files.get('tile/1/000.p/2') as Buffer)[3]! ^= 1),
      /its tiles do not have its root/,
    ],
    ['its state damaged', ({ files }) => void files.set('state', Buffer.from('{')), /its state cannot be read/],
  ])('with %s reports only the damaged tree', async (_, damage, text) => {
    const { files, verify } = await signedLog();
    damage(files);
    const { findings } = await verify();
    expect(findings.map(({ kind }) => kind)).toStrictEqual(['tree-damaged']);
    expect(findingText(findings[0] as never)).toMatch(text);
  });
});

describe('verifyLog over the places of checkpoints', () => {
  it.each<[string, (files: MemoryFiles) => void]>([
    ['its state is missing', ({ files }) => void files.delete('state')],
    [
      'all of it is gone, but for the checkpoints',
      ({ files }) => [...files.keys()].forEach((path) => /^check|^origin/.test(path) || files.delete(path)),
    ],
  ])('reports that the tree is smaller than its checkpoint if %s', async (_, damage) => {
    const { files, verify } = await signedLog();
    damage(files);
    const { findings } = await verify();
    expect(findings).toStrictEqual([{ kind: 'tree-damaged', what: 'it has 0 events, and the checkpoint at log-proofs 610' }]);
  });

  it('uses the newest checkpoint if the history file is missing, and reports an unreadable checkpoint', async () => {
    const { files, witness, verify } = await signedLog();
    files.files.delete('checkpoints');
    witness.files.set('checkpoint', Buffer.from('garbage'));
    const { findings, checkpoints } = await verify((events) => events.slice(0, 600));
    expect(checkpoints.places).toStrictEqual([
      { place: 'log-proofs', checkpoints: 1, ofOtherLogs: 0, passedOver: 0 },
      { place: 'witness', checkpoints: 3, ofOtherLogs: 0, passedOver: 1 },
    ]);
    expect(findings).toMatchObject([
      { kind: 'log-shorter', place: 'log-proofs' },
      { kind: 'log-shorter', place: 'witness' },
      { kind: 'not-signed', place: 'witness', notes: 1 },
    ]);
  });

  it('reports a place that is five minutes behind, but not one that lacks only recent checkpoints', async () => {
    const { clock, files, witness, writer, keep, verify } = await signedLog();
    await clock.advance(299_999);
    await writer.write(A, 1);
    await keep();
    const kept = new Map(witness.files);
    witness.files.clear();
    await expect(verify()).resolves.toMatchObject({ findings: [], checkpoints: { places: [{ checkpoints: 4 }, { checkpoints: 0 }] } });
    for (const [path, bytes] of kept) witness.files.set(path, bytes);
    await clock.advance(1);
    await writer.write(A, 1);
    await keep();
    for (const [emptied, place, ahead] of [
      [witness, 'witness', 'log-proofs'],
      [files, 'log-proofs', 'witness'],
    ] as const) {
      const whole = new Map(emptied.files);
      emptied.files.delete('checkpoints');
      emptied.files.delete('checkpoint');
      const { findings } = await verify();
      expect(findings).toStrictEqual([{ kind: 'place-behind', place, size: 250, since: '2024-01-01T00:00:00.000Z', ahead }]);
      for (const [path, bytes] of whole) emptied.files.set(path, bytes);
    }
    await expect(verify()).resolves.toMatchObject({ findings: [] });
  });
});
