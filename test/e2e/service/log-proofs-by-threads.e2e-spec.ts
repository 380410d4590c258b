import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogProofs, makeSigningKeyFile, proofFilesOf } from '@app/audit';
import type { StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { ChainedWriter } from '@app/event-store/testing';
import { systemClock, systemScheduler } from '@app/kernel';
import { forgeLog } from '../../support/forged-log';
import { orch, type OrchEnded } from '../../support/processes/orch';

jest.setTimeout(180_000);

/** More tiles than `orch log verify` reads event by event. */
const EVENTS = 70 * 256 + 5;
const folder = mkdtempSync(join(tmpdir(), 'log-threads-e2e-'));
const written = join(folder, 'written');
const STREAM = 'payment-many' as StreamName;

const fail = (problem: unknown): never => {
  throw problem instanceof Error ? problem : new Error(JSON.stringify(problem));
};
const verified = (dataDir: string): Promise<OrchEnded> => orch(['--json', 'log', 'verify'], { DATA_DIR: dataDir, NODE_ENV: '' });

beforeAll(async () => {
  const store = await EmbeddedEventStore.open({ path: join(written, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  await new ChainedWriter(store).write(STREAM, EVENTS);
  await new LogProofs({
    log: store,
    files: proofFilesOf(join(written, 'log-proofs')),
    key: makeSigningKeyFile(join(written, 'log-signing-key.pem')),
    directories: [],
    receivers: [],
    isKeeper: () => true,
    clock: systemClock,
    scheduler: systemScheduler,
    random: { bytes: randomBytes },
    watch: { unsigned: () => undefined, inconsistent: fail, rebuilding: fail, retrying: fail, witnessFailed: fail },
  }).stop();
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a log that the built command hashes in threads', () => {
  it('is found as it was written, to its last event', async () => {
    const ended = await verified(written);
    expect(ended).toMatchObject({ code: 0, problems: '' });
    expect(JSON.parse(ended.out)).toMatchObject({
      isSound: true,
      isSigned: true,
      events: EVENTS,
      read: EVENTS,
      checkpoints: { newest: { size: EVENTS } },
    });
  });

  it.each([
    ['in its first tile', 7],
    ['in the middle', 9_001],
    ['in the last full tile', 70 * 256],
    ['behind that', EVENTS],
  ])('is found where one event was edited %s, its checksum refitted', async (_, position) => {
    const copy = join(folder, `edited-${position}`);
    cpSync(written, copy, { recursive: true });
    forgeLog(join(copy, 'events.sqlite'), (log) => {
      const row = log.rows().find((one) => one.position === position);
      if (row === undefined) throw new Error(`there is no position ${position}`);
      log.put({ ...row, data: '{"content":"forged"}' });
    });
    const ended = await verified(copy);
    expect(ended).toMatchObject({ code: 1, problems: '' });
    expect(JSON.parse(ended.out)).toMatchObject({
      events: EVENTS,
      findings: [
        {
          kind: 'event-differs',
          at: { index: position - 1, position: String(position), stream: STREAM },
          difference: 'changed',
          evidence: { kind: 'signed', size: EVENTS },
        },
      ],
    });
  });
});
