import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler, type MerchantLogin, type OrderId } from '@app/kernel';
import { decodeAny } from '@app/read-models/queries';
import { paymentCodec, paymentStream } from '@app/payment';
import { openReadModel } from '@app/read-models';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import { paintFor } from '../terminal';
import { listUnknown, resolveUnknown } from './unknown';

const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId });
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const ENVELOPE = { correlation: 's', causation: 's', actor: 'acme', merchant: 'acme', commandId: 'c', recordedAt: ACCEPTED_AT };

const before = { ...process.env };
let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unknown-'));
  lines = [];
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_OPERATOR_TOKEN: 'a-token' });
});
afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

const openLog = (name = 'events.sqlite'): Promise<EmbeddedEventStore> =>
  EmbeddedEventStore.open({ path: join(folder, name), clock: new VirtualClock(), scheduler: systemScheduler });
const output = (isJson = false) => ({
  paint: paintFor(false),
  isJson,
  line: (text = '') => void lines.push(text),
  problem: () => undefined,
});

it.each([false, true])('lists no unknown outcomes and exits with 1 if the read model was never built (in JSON: %s)', async (isJson) => {
  await (await openLog()).close();
  await expect(listUnknown({ merchant: 'acme' }, output(isJson))).rejects.toMatchObject({
    name: 'CommandFailed',
    message: 'the read model was never built. Start the service, or run orch rebuild',
    exitCode: 1,
  });
  expect(lines).toStrictEqual([]);
});

it('exits with 1 and resolves nothing if the order is in the read model but missing from the log', async () => {
  const newer = await openLog('newer.sqlite');
  await newer.append(stream, 'no_stream', paymentCodec.encode([{ type: 'OrderAccepted', data: order }], stream, 'no_stream', ENVELOPE));
  const model = await openReadModel({
    path: join(folder, 'read-model.sqlite'),
    log: newer,
    decode: decodeAny,
    clock: new VirtualClock(),
  });
  await model.build();
  await model.close();
  await newer.close();
  await (await openLog()).close();
  const resolved = resolveUnknown(order.orderId, { as: 'approved', reason: 'seen', merchant: 'acme' }, output());
  await expect(resolved).rejects.toMatchObject({ name: 'CommandFailed', message: 'the order has no readable events', exitCode: 1 });
  expect(lines).toStrictEqual([]);
});
