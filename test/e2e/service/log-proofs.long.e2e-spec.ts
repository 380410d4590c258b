import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WireServer } from '../../fakes/eventstoredb';
import { forgeLog, type ForgedLog } from '../../support/forged-log';
import { Merchant } from '../../support/merchants/merchant';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'log-proofs-e2e-'));
const witness = join(folder, 'witness');
const configuration = sandboxConfiguration();
let service: Service;
let orderId = '';
let stream = '';
let stopped = '';

const said = ({ out }: OrchEnded): Readonly<Record<string, unknown>> => JSON.parse(out) as Record<string, unknown>;
const log = (args: readonly string[], dataDir: string, witnesses = ''): Promise<OrchEnded> =>
  orch(['--json', 'log', ...args], { ...service.orchEnvironment, DATA_DIR: dataDir, LOG_WITNESSES: witnesses });
let copies = 0;
const forgedCopy = (forge: (log: ForgedLog) => void): string => {
  const copy = join(folder, `copy-${++copies}`);
  cpSync(stopped, copy, { recursive: true });
  forgeLog(join(copy, 'events.sqlite'), forge);
  return copy;
};
const findingsOf = async (dataDir: string, witnesses = ''): Promise<readonly Record<string, unknown>[]> => {
  const ended = await log(['verify'], dataDir, witnesses);
  const findings = said(ended)['findings'] as readonly Record<string, unknown>[];
  expect(ended).toMatchObject({ code: findings.length === 0 ? 0 : 1, problems: '' });
  return findings;
};

beforeAll(async () => {
  mkdirSync(witness);
  service = await Service.start({ configuration, environment: { LOG_WITNESSES: witness }, stores: 'files' });
  const acme = new Merchant(service);
  const order = await acme.approvedSale();
  ({ orderId } = order);
  await acme.approvedSale();
  await service.stop();
  stopped = join(folder, 'stopped');
  cpSync(service.dataDir, stopped, { recursive: true });
  forgeLog(join(stopped, 'events.sqlite'), (forged) => {
    stream = forged.rows().find(({ stream: name, data }) => name.startsWith('payment-') && data.includes(orderId))?.stream ?? '';
  });
});
afterAll(async () => {
  await service?.dispose();
  rmSync(folder, { recursive: true });
});

describe('the log of a service that was stopped in order', () => {
  it('is completely signed, also at its witness', async () => {
    const ended = await log(['verify'], stopped, witness);
    expect(ended).toMatchObject({ code: 0, problems: '' });
    const { events, checkpoints, ...rest } = said(ended) as { events: number; checkpoints: { newest: { size: number } } };
    expect(rest).toMatchObject({ isSound: true, isSigned: true, findings: [], unreachable: [] });
    expect(events).toBeGreaterThanOrEqual(10);
    expect(checkpoints.newest.size).toBeGreaterThanOrEqual(events - 2);
    expect(readFileSync(join(witness, 'log-checkpoints', 'checkpoint'), 'utf8')).toBe(
      readFileSync(join(stopped, 'log-proofs', 'checkpoint'), 'utf8'),
    );
  });

  it('proves an unchanged event, and no changed one, to anyone with the public key', async () => {
    const publicKey = join(folder, 'log.pub');
    writeFileSync(publicKey, `${said(await log(['key', 'show'], stopped))['publicKey'] as string}\n`);
    const file = join(folder, 'order.tlog-proof');
    await expect(
      orch(['log', 'proof', orderId, '--event', '0', '-o', file], { ...service.orchEnvironment, DATA_DIR: stopped }),
    ).resolves.toMatchObject({ code: 0 });
    const outsider = { DATA_DIR: join(folder, 'nothing'), NODE_ENV: '' };
    const checked = await orch(['--json', 'log', 'check-proof', file, '--key', publicKey], outsider);
    expect(checked).toMatchObject({ code: 0, problems: '' });
    expect(said(checked)).toMatchObject({ holds: true, stream, revision: 0, type: 'OrderAccepted' });
    const other = join(folder, 'other.tlog-proof');
    writeFileSync(other, readFileSync(file, 'utf8').replace(/^index \d+$/m, 'index 1'));
    const refused = await orch(['log', 'check-proof', other, '--key', publicKey], outsider);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.problems).toContain('the proof does not hold: the event is not number 1 of the tree of its checkpoint');
    await expect(orch(['log', 'key', 'new', join(folder, 'stranger.pem')], outsider)).resolves.toMatchObject({ code: 0 });
    const stranger = await orch(['log', 'check-proof', file, '--key', join(folder, 'stranger.pem.pub')], outsider);
    expect(stranger).toMatchObject({ code: 1, problems: expect.stringContaining('the key did not sign its checkpoint') as string });
    expect((await orch(['log', 'check-proof', file], outsider)).code).toBe(2);
  });

  it('proves each event of one order', async () => {
    const ended = await log(['verify', orderId], stopped);
    expect(ended.code).toBe(0);
    const states = ended.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { state: string }).state);
    expect(states.length).toBeGreaterThan(3);
    expect(new Set(states)).toStrictEqual(new Set(['proved']));
  });
});

describe('a log altered on disk with corrected checksums', () => {
  it('is detected if the newest event of a stream changed, which no hash chain covers', async () => {
    let position = 0;
    const copy = forgedCopy((forged) => {
      const row = forged.newestOf(stream);
      ({ position } = row);
      forged.put({ ...row, data: row.data.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)) });
    });
    const findings = await findingsOf(copy);
    expect(findings).toMatchObject([{ kind: 'event-differs', at: { position: String(position), stream }, evidence: { kind: 'signed' } }]);
    const ofOrder = await log(['verify', orderId], copy);
    expect(ofOrder.code).toBe(1);
    expect(ofOrder.out).toContain('"state":"event-differs"');
    await expect(log(['proof', orderId], copy)).resolves.toMatchObject({ code: 1, out: '' });
  });

  it('is detected if its end was cut off, and only by its witness if the checkpoints were removed too', async () => {
    const cut = forgedCopy((forged) => forged.cutOff(forged.rows().length - 3));
    expect((await findingsOf(cut)).map(({ kind }) => kind)).toStrictEqual(['log-shorter']);
    // An attacker with the whole folder can also roll back the checkpoints: only the witness still has them.
    rmSync(join(cut, 'log-proofs'), { recursive: true });
    await expect(findingsOf(cut)).resolves.toStrictEqual([]);
    expect((await findingsOf(cut, witness)).map(({ kind }) => kind)).toStrictEqual(['other-log']);
    const ofOrder = await log(['verify', orderId], cut, witness);
    expect(ofOrder).toMatchObject({ code: 1, problems: '' });
    expect(ofOrder.out).toContain('"state":"not-reached"');
  });
});

describe('a service on a log that was rolled back', () => {
  it('keeps serving, signs nothing and raises an alarm, and signs a new log after its proofs are removed', async () => {
    const dataDir = forgedCopy((forged) => forged.cutOff(forged.rows().length - 4));
    for (const name of ['read-model.sqlite', 'read-model.sqlite-wal', 'read-model.sqlite-shm'])
      rmSync(join(dataDir, name), { force: true });
    const signedBefore = readFileSync(join(dataDir, 'log-proofs', 'checkpoints'), 'utf8');
    const woundBack = await Service.start({ configuration, dataDir });
    try {
      await until(() => woundBack.stdout.includes('log-proofs.inconsistent'), { what: 'the alarm', timeoutMs: 30_000 });
      const acme = new Merchant(woundBack);
      const order = await acme.approvedSale();
      expect((await acme.status(order)).fields).toMatchObject({ status: 'approved' });
      expect((await woundBack.operatorRequest('/metrics')).body).toMatch(/^orchestrator_log_inconsistent 1$/m);
      await woundBack.stop();
    } finally {
      await woundBack.dispose();
    }
    expect(readFileSync(join(dataDir, 'log-proofs', 'checkpoints'), 'utf8')).toBe(signedBefore);
    const [first] = await findingsOf(dataDir);
    expect(first).toMatchObject({ kind: 'event-differs', evidence: { kind: 'signed' } });

    rmSync(join(dataDir, 'log-proofs'), { recursive: true });
    const [anew, newWitness] = [join(folder, 'new-witness'), { LOG_WITNESSES: join(folder, 'new-witness') }];
    mkdirSync(anew);
    const again = await Service.start({ configuration, dataDir, environment: newWitness });
    await again.stop();
    await again.dispose();
    await expect(findingsOf(dataDir, anew)).resolves.toStrictEqual([]);
  });
});

describe('a log on EventStoreDB', () => {
  it('is verified, and an altered event is detected', async () => {
    const server = await WireServer.start();
    const onServer = await Service.start({ configuration, environment: { EVENTSTORE_URL: server.connectionString } });
    try {
      await new Merchant(onServer).approvedSale();
      await onServer.stop();
      const verify = (): Promise<OrchEnded> => orch(['--json', 'log', 'verify'], onServer.orchEnvironment);
      const sound = await verify();
      expect(sound).toMatchObject({ code: 0, problems: '' });
      expect(said(sound)).toMatchObject({ isSound: true, isSigned: true });
      let forged = 0;
      for (let index = 0; index < server.log.length; index++) {
        const { data } = server.log.at(index)!;
        const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
        const at = bytes.indexOf('"1042"');
        if (at < 0 || forged > 0) continue;
        bytes.write('"9042"', at);
        forged += 1;
      }
      expect(forged).toBe(1);
      const found = await verify();
      expect(found.code).toBe(1);
      expect(said(found)['findings']).toMatchObject([{ kind: 'event-differs', difference: 'changed', evidence: { kind: 'signed' } }]);
    } finally {
      await onServer.dispose();
      await server.kill();
    }
  });
});

it('after a kill the next process continues signing, and the whole log verifies', async () => {
  const dataDir = join(folder, 'killed');
  cpSync(stopped, dataDir, { recursive: true });
  const killed = await Service.start({ configuration, dataDir });
  try {
    await new Merchant(killed).approvedSale();
    await killed.kill();
    await killed.restart();
    await killed.stop();
  } finally {
    await killed.dispose();
  }
  expect(existsSync(join(dataDir, 'log-proofs', 'checkpoints'))).toBe(true);
  await expect(findingsOf(dataDir)).resolves.toStrictEqual([]);
});
