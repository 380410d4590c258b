import type { Position, StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { ChainedWriter } from '@app/event-store/testing';
import { openDatabase } from '@app/sqlite';
import { systemScheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { FilesPlace } from '../building/checkpoint-place';
import { LogProofs } from '../building/log-proofs';
import { readSigningKey } from '../checkpoints/log-key';
import { keyOfSeed } from '../testing/log-keys';
import { MemoryFiles } from '../testing/memory-files';
import { verifyLog } from '../verifying/verify-log';
import type { VerifyLogReport } from '../verifying/verify-report';
import { LeafRunThreads } from './leaf-run-threads';

const key = readSigningKey(keyOfSeed(1));
const A = 'payment-a' as StreamName;
const B = 'recurring-b' as StreamName;
const TILES = 18;
const EVENTS = TILES * 256 + 20;

const fail = (problem: unknown): never => {
  throw problem instanceof Error ? problem : new Error(JSON.stringify(problem));
};

/** The threads, asked however short the log is. */
class EagerThreads extends LeafRunThreads {
  asked = 0;
  irregular = 0;
  override isWorthwhile(): boolean {
    return true;
  }
  override async of(run: Parameters<LeafRunThreads['of']>[0]) {
    this.asked += 1;
    const hashed = await super.of(run);
    if (hashed === undefined) this.irregular += 1;
    return hashed;
  }
}

describe('an embedded log hashed in threads', () => {
  let folder: string;
  let path: string;
  const files = new MemoryFiles();
  const clock = new VirtualClock();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leaf-runs-'));
    path = join(folder, 'events.sqlite');
    const store = await EmbeddedEventStore.open({ path, clock, scheduler: systemScheduler });
    const writer = new ChainedWriter(store);
    for (let written = 0; written < EVENTS; written += 4) {
      await writer.write(A, 3);
      await writer.write(B, 1);
    }
    const watch = { unsigned: () => undefined, inconsistent: fail, rebuilding: fail, retrying: fail, witnessFailed: fail };
    const random = { bytes: (size: number) => Buffer.alloc(size, 7) };
    const ports = { clock, scheduler: clock, random, watch, directories: [], receivers: [], isKeeper: () => true };
    await new LogProofs({ log: store, files, key, ...ports }).stop();
    await store.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const verified = async (of: string, threads?: LeafRunThreads): Promise<VerifyLogReport> => {
    const log = EmbeddedEventStore.openReader({ path: of, scheduler: systemScheduler });
    try {
      return await verifyLog({
        log,
        files,
        places: [new FilesPlace('log-proofs', files)],
        key: key.verifier,
        origin: `payment-orchestrator/log/${'07'.repeat(16)}`,
        knownCategories: new Set(['payment', 'recurring']),
        ...(threads && { runs: threads }),
      });
    } finally {
      await threads?.close();
      await log.close();
    }
  };

  it('is found sound by them', async () => {
    const threads = new EagerThreads(path, 2);
    await expect(verified(path, threads)).resolves.toMatchObject({
      events: EVENTS,
      read: EVENTS,
      checkpoints: { newest: { size: EVENTS } },
      findings: [],
    });
    expect(threads).toMatchObject({ asked: 2, irregular: 0 });
  });

  const REFITTED = 'checksum = refitted(stream, revision, id, type, metadata, data)';
  it.each<[string, string, object]>([
    ['an edit', `UPDATE events SET data = '{}' WHERE position = 3000`, { at: { index: 2_999 }, difference: 'unreadable' }],
    [
      'an edit that has its checksum refitted',
      `UPDATE events SET data = '{}' WHERE position = 3000; UPDATE events SET ${REFITTED} WHERE position = 3000`,
      { at: { index: 2_999, position: '3000' }, difference: 'changed' },
    ],
    ['an event taken out', 'DELETE FROM events WHERE position = 4100', { at: { index: 4_099, position: '4101' } }],
    [
      'two events in each other’s places',
      'UPDATE events SET position = -1 WHERE position = 100; UPDATE events SET position = 100 WHERE position = 4097; UPDATE events SET position = 4097 WHERE position = -1',
      { at: { index: 99, position: '100' } },
    ],
  ])('with %s is not, and the place is named as it is event by event', async (_, forge, expected) => {
    const forged = join(mkdtempSync(join(folder, 'forged-')), 'events.sqlite');
    copyFileSync(path, forged);
    const db = openDatabase(forged);
    db.function('refitted', (stream: string, revision: number, id: string, type: string, metadata: string, data: string) =>
      crc32(`${stream} ${revision} ${id} ${type}${metadata}${data}`),
    );
    db.exec(forge);
    db.close();
    const threads = new EagerThreads(forged, 2);
    const { findings, read } = await verified(forged, threads);
    const alone = await verified(forged);
    expect(findings[0]).toMatchObject({ kind: 'event-differs', ...expected });
    expect([findings, read, threads.asked]).toStrictEqual([alone.findings, alone.read, 2]);
  });

  it('is not sound where there is none, and says so', async () => {
    const threads = new LeafRunThreads(join(folder, 'none.sqlite'), 1);
    await expect(threads.of({ after: 'start', to: '256' as Position, tiles: 1 })).rejects.toThrow('none.sqlite');
    await expect(threads.of({ after: 'start', to: '256' as Position, tiles: 1 })).rejects.toThrow('none.sqlite');
    await threads.close();
  });

  it('needs no thread until something is asked', async () => {
    const threads = new LeafRunThreads(path, 8);
    expect(threads.sideBySide).toBe(4);
    await expect(threads.close()).resolves.toBeUndefined();
  });

  it('has no leaves beyond its end, and none of a run that is shorter than was expected', async () => {
    const threads = new LeafRunThreads(path, 1);
    const run = (to: number, tiles: number) => threads.of({ after: '256' as Position, to: String(to) as Position, tiles });
    await expect(Promise.all([run(512, 1), run(511, 1), run(512, 2), run(EVENTS + 256, TILES)])).resolves.toMatchObject([
      { leftOut: 0 },
      undefined,
      undefined,
      undefined,
    ]);
    await threads.close();
  });
});
