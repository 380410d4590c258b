import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { noFailpoints } from '@app/kernel';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ServiceLog } from '@app/http-server';
import { Service } from './service';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'orchestrator-service-'));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const open = async (folder: string) => {
  const environment = readEnvironment({ DATA_DIR: folder }, packageRoot());
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const service = await Service.open({
    environment,
    configuration: loadConfiguration(environment.configurationPath, {}, GATE_ADAPTERS),
    switches: { failpoints: noFailpoints, commitDelayMs: undefined, groupJobsMax: undefined, silentGate: undefined },
    log: new ServiceLog('info', destination),
    onBroken: (error) => {
      throw error;
    },
  });
  return { service, failures: () => lines.filter((line) => line.includes('"level":50')) };
};

describe('the service without its sockets', () => {
  it('is ready between start and stop, with the state of each store', async () => {
    const { service } = await open(newFolder());
    expect(await service.health()).toMatchObject({ isReady: false });
    await service.start();
    expect(await service.health()).toEqual({
      isReady: true,
      stores: {
        events: { isReady: true, detail: 'the event log answers' },
        vault: { isReady: true, detail: 'the vault answers' },
        readModel: { isReady: true, detail: 'the read model answers' },
      },
    });
    service.standDown();
    expect(await service.health()).toMatchObject({ isReady: false, stores: { events: { isReady: true } } });
    await service.stop();
  });

  it('closes once however often it is stopped, and leaves its files to the next process', async () => {
    const folder = newFolder();
    const { service, failures } = await open(folder);
    await service.start();
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect(failures()).toEqual([]);
    const next = await open(folder);
    await next.service.start();
    await next.service.stop();
    expect(next.failures()).toEqual([]);
  });

  it('stops although it was never started', async () => {
    const { service, failures } = await open(newFolder());
    await service.stop();
    expect(failures()).toEqual([]);
  });

  it('says of a store that fails no more than that', async () => {
    const { service, failures } = await open(newFolder());
    await service.stop();
    const { stores, isReady } = await service.health();
    expect(isReady).toBe(false);
    expect(stores['events']).toEqual({ isReady: false, detail: 'does not answer' });
    expect(failures().join('')).toContain('health.store-failed');
  });
});
