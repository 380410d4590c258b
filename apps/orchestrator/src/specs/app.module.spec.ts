import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { OperatorAudit } from '@app/investigation/record';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { DeviceVerificationModule } from '@app/device-verification/device-verification.module';
import { noFailpoints, type BootId } from '@app/kernel';
import { PaymentModule } from '@app/payment/payment.module';
import { RecurringModule } from '@app/recurring/recurring.module';
import { TransferModule } from '@app/transfer/transfer.module';
import { ServiceLog } from '@app/http/server';
import { AppModule } from '../app.module';
import { OrderlyStop } from '../orderly-stop';
import { ServiceHealth } from '../monitoring/service-health';
import { openApp } from '../testing/opened-app';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'orchestrator-service-'));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const open = async (folder: string) => {
  const environment = readEnvironment({ DATA_DIR: folder }, packageRoot());
  const opened = await openApp(environment, loadConfiguration(environment.configurationPath, {}, GATE_ADAPTERS));
  return { ...opened, health: opened.app.get(ServiceHealth, { strict: false }) };
};

const watchEnd = (ends: string[], name: string, part: unknown, method: string): void => {
  const ended = part as Record<string, () => Promise<void>>;
  const end = ended[method]?.bind(part);
  ended[method] = () => {
    ends.push(name);
    return end?.() ?? Promise.reject(new Error(`${name} has no ${method}`));
  };
};

it.each(['api,worker', 'api', 'worker'])('a service with the roles %s loads the modules of all order kinds', (roles) => {
  const environment = readEnvironment({ DATA_DIR: newFolder(), EVENTSTORE_URL: 'esdb://127.0.0.1:1', ROLES: roles }, packageRoot());
  const { imports = [] } = AppModule.forRoot({
    environment,
    configuration: loadConfiguration(environment.configurationPath, {}, GATE_ADAPTERS),
    switches: { failpoints: noFailpoints, commitDelayMs: undefined, groupJobsMax: undefined, silentGate: undefined },
    log: new ServiceLog('silent'),
    bootId: 'boot' as BootId,
    onBroken: () => undefined,
  });
  expect(imports).toEqual(expect.arrayContaining([PaymentModule, RecurringModule, DeviceVerificationModule, TransferModule]));
});

describe('the service without its sockets', () => {
  it('is ready from its start to its shutdown and reports the state of each store', async () => {
    const { app, health } = await open(newFolder());
    expect(await health.health()).toMatchObject({ isReady: false });
    await app.init();
    expect(await health.health()).toEqual({
      isReady: true,
      stores: {
        events: { isReady: true, detail: 'the event log answers' },
        vault: { isReady: true, detail: 'the vault answers' },
        readModel: { isReady: true, detail: 'the read model answers' },
      },
    });
    health.standDown();
    expect(await health.health()).toMatchObject({ isReady: false, stores: { events: { isReady: true } } });
    await app.close();
  });

  it('closes once for several stop requests and leaves its files usable for the next process', async () => {
    const folder = newFolder();
    const { app, failures } = await open(folder);
    await app.init();
    await Promise.all([app.close(), app.close()]);
    await app.close();
    expect(failures()).toEqual([]);
    const next = await open(folder);
    await next.app.init();
    await next.app.close();
    expect(next.failures()).toEqual([]);
  });

  it('drains the work in progress before it closes any store, and closes the log last', async () => {
    const { app } = await open(newFolder());
    await app.init();
    const ends: string[] = [];
    watchEnd(ends, 'drain', app.get(OrderlyStop, { strict: false }), 'onApplicationShutdown');
    watchEnd(ends, 'operator audit', app.get(OperatorAudit, { strict: false }), 'stop');
    watchEnd(ends, 'read model', app.get(READ_MODEL, { strict: false }), 'close');
    watchEnd(ends, 'vault', app.get(CARD_VAULT, { strict: false }), 'close');
    watchEnd(ends, 'log', app.get(EVENT_STORE, { strict: false }), 'close');
    await app.close();
    expect(ends).toStrictEqual(['drain', 'operator audit', 'read model', 'vault', 'log']);
  });

  it('stops without a previous start', async () => {
    const { app, failures } = await open(newFolder());
    await app.close();
    expect(failures()).toEqual([]);
  });

  it('reports a failed store as not ready and writes the error only to the log', async () => {
    const { app, health, failures } = await open(newFolder());
    await app.close();
    const { stores, isReady } = await health.health();
    expect(isReady).toBe(false);
    expect(stores['events']).toEqual({ isReady: false, detail: 'does not answer' });
    expect(failures().join('')).toContain('health.store-failed');
  });
});
