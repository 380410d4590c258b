import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { systemScheduler, type MerchantLogin, type OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { ACCEPTED_AT, attemptEvents, finalEvents, sampleOrder } from '@app/testing';
import { WireServer } from '../../../../test/fakes/eventstoredb';
import { paintFor } from '../terminal';
import { show } from './show';

const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId });
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const ENVELOPE = { correlation: 's', causation: 's', actor: 'acme', merchant: 'acme', commandId: 'c', recordedAt: ACCEPTED_AT };

const before = { ...process.env };
let server: WireServer;
let folder: string;
beforeAll(async () => {
  server = await WireServer.start();
  folder = mkdtempSync(join(tmpdir(), 'show-'));
  const store = await EventStoreDbEventStore.open({ url: server.connectionString, scheduler: systemScheduler });
  const approved = [attemptEvents.approved(), finalEvents.approved()] as const;
  const events = [{ type: 'OrderAccepted' as const, data: order }, attemptEvents.started(), ...approved] as const;
  await store.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', ENVELOPE));
  await store.close();
  delete process.env['READ_MODEL_URL'];
  Object.assign(process.env, {
    EVENTSTORE_URL: server.connectionString,
    DATA_DIR: folder,
    ORCH_CONFIG: resolve(__dirname, '../../../../config/sandbox.yaml'),
  });
});
afterAll(async () => {
  process.env = before;
  await server.kill();
  rmSync(folder, { recursive: true });
});

it('prints an order up to the first forged event and exits with 1', async () => {
  const lines: string[] = [];
  const output = { paint: paintFor(false), isJson: false, line: (text = '') => void lines.push(text), problem: () => undefined };
  await show(order.clientOrderId, { merchant: 'acme' }, output);
  expect(lines.join('\n')).toContain('10.42 USD, approved');
  lines.splice(0);

  const forged = server.log.eventsOf(stream)[1];
  if (forged === undefined) throw new Error('nothing to forge');
  forged.data[forged.data.length - 2] = 'x'.charCodeAt(0);
  await expect(show(order.clientOrderId, { merchant: 'acme' }, output)).rejects.toMatchObject({
    name: 'CommandFailed',
    exitCode: 1,
    message: expect.stringMatching(new RegExp(`^${stream} is sound before revision 1, and no further: of revision 2, it does not follow`)),
  });
  expect(lines.join('\n')).toContain('its state is unknown: the log was changed or damaged');
});
