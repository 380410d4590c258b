import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { WireServer } from '../../fakes/eventstoredb';
import { cardOf, Device } from '../../support/devices/device';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../../support/devices/scripted-merchant';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const ENTRY_POINT = '1001';
const AMOUNT = '"1042"';
const FORGED = '"9042"';

let log: WireServer;
let merchant: ScriptedMerchant;
let service: Service;

beforeAll(async () => {
  log = await WireServer.start();
  merchant = await ScriptedMerchant.start(SANDBOX_CONTROL_KEY);
  service = await Service.start({
    configuration: sandboxConfiguration({ ports: [merchant.port], acme: { merchantUrl: merchant.url } }),
    environment: { EVENTSTORE_URL: log.connectionString },
  });
});
afterAll(async () => {
  await service?.dispose();
  await merchant?.stop();
  await log?.kill();
});

/** Writes another amount into each acceptance, as an attacker with access to the log might. */
const forgeAmounts = (): number => {
  let forged = 0;
  for (let index = 0; index < log.log.length; index++) {
    const { data } = log.log.at(index)!;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const at = bytes.indexOf(AMOUNT);
    if (at < 0) continue;
    bytes.write(FORGED, at);
    forged += 1;
  }
  return forged;
};

it('a broken chain is answered as an internal error on both interfaces, and nothing that was forged is shown', async () => {
  const acme = new Merchant(service);
  const device = new Device(service, merchant, SANDBOX_CONTROL_KEY);
  const order = await acme.approvedSale();
  const asked = device.initiate({
    operation: 'sale',
    endpointId: ENTRY_POINT,
    amountCentis: 1_042,
    body: { sourceOfFunds: { card: cardOf('123') } },
  });
  const token = await device.performed(asked);
  await device.statusWhen(asked, token, 'APPROVED');

  await service.stop();
  expect(forgeAmounts()).toBeGreaterThanOrEqual(2);
  // Forces a fold of the read model from the forged log.
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(service.dataDir, `read-model.sqlite${suffix}`), { force: true });
  await service.restart();

  const told = await acme.status(order);
  expect(told.fields).toMatchObject({ 'error-code': '99' });
  expect(told.fields).not.toHaveProperty('amount');
  const toldDevice = await device.status(asked, token);
  expect(toldDevice.json).toMatchObject({ error: { cause: 'INTERNAL_ERROR', message: 'Internal error' } });
  expect(toldDevice.json).not.toHaveProperty('state');
  for (const { body } of [told, toldDevice]) expect(body).not.toMatch(/90\.?42/);
  const healthy = await acme.approvedSale();
  expect((await acme.status(healthy)).fields).toMatchObject({ status: 'approved', amount: '10.42' });
});
