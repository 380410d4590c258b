import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMs, Secret, systemClock, systemIds, systemScheduler, type AttemptKey, type GateAlias } from '@app/kernel';
import type { Envelope } from '@app/event-store';
import { openEventLogReader, openEventStore } from '@app/event-store/stores';
import { openSimulatorLedger, readLedger, SimulatorGate } from '@app/gateway-adapters/simulator';
import { loadConfiguration, type OrchestratorEnvironment, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { attemptEvents, eventually, finalEvents, followUpEvents, sampleOrder, usd } from '@app/testing';
import { openApp } from '../testing/opened-app';

const GATE = 'sim-a' as GateAlias;
const order = sampleOrder();
const stream = paymentStream(order.merchant, order.clientOrderId);
const key = systemIds.next() as AttemptKey;
const acceptedAt = systemClock.now();
const folder = mkdtempSync(join(tmpdir(), 'follow-up-recovery-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Charges at the gate that the service will find in its configuration. */
const charge = async ({ simulatorLedgerPath }: OrchestratorEnvironment): Promise<void> => {
  const ledger = await openSimulatorLedger(simulatorLedgerPath);
  const settings = loadConfiguration(readEnvironment({}, packageRoot()).configurationPath, {}, GATE_ADAPTERS).accounts.gate(GATE);
  const gate = new SimulatorGate({ settings, bins: [], clock: systemClock, ledger, authenticationPageUrl: (one) => one });
  const { orderId, merchant, endpointId, clientOrderId, amount } = order;
  const card = new Secret({ number: '4444333322221111', expiryMonth: 12, expiryYear: 2099, holder: 'JOHN SMITH' });
  const { kind } = await gate.charge({
    key,
    orderId,
    merchant,
    endpointId,
    clientOrderId,
    amount,
    card,
    cvv: new Secret('123'),
    descriptor: GATE,
  });
  expect(kind).toBe('approved');
  await ledger.close();
};

/** Writes the log of a process that ended before it began any of the follow-ups. */
const writeLog = async ({ eventStore }: OrchestratorEnvironment, events: readonly [PaymentEvent, ...PaymentEvent[]]): Promise<void> => {
  const onBroken = (error: Error): never => {
    throw error;
  };
  const { store } = await openEventStore({ at: eventStore, clock: systemClock, scheduler: systemScheduler, onBroken });
  const serial = '00000000-0000-0000-0000-000000000001';
  const { merchant } = order;
  const envelope: Envelope = {
    correlation: serial,
    causation: serial,
    actor: merchant,
    merchant,
    commandId: serial,
    recordedAt: acceptedAt,
  };
  await store.append(stream, 'no_stream', paymentCodec.encode(events, stream, 'no_stream', envelope));
  await store.close();
};

it('follow-ups that a process accepted and did not begin are submitted once by the next one, and inquired until the gate answers', async () => {
  const environment = readEnvironment({ DATA_DIR: folder }, packageRoot());
  await charge(environment);
  const accepted = (number: number, minor: bigint) => followUpEvents.accepted({ number, amount: usd(minor), original: key, acceptedAt });
  await writeLog(environment, [
    { type: 'OrderAccepted', data: { ...order, acceptedAt } },
    attemptEvents.started({ attemptKey: key, startedAt: acceptedAt }),
    attemptEvents.approved({ attemptKey: key, answeredAt: acceptedAt }),
    finalEvents.approved({ attemptKey: key, callbacks: [], approvedAt: addMs(acceptedAt, 1) }),
    accepted(1, 100n),
    accepted(2, 217n),
    accepted(3, 116n),
  ]);
  const { app, failures } = await openApp(environment, loadConfiguration(environment.configurationPath, {}, GATE_ADAPTERS));
  await app.init();
  const log = await openEventLogReader(environment.eventStore, systemScheduler);
  const recorded = async (): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const { type, data } of log.read(stream)) {
      const { number } = JSON.parse(data) as { number: number };
      if (/^FollowUp(Unknown|Approved|Declined|Failed)$/.test(type)) types.push(`${number} ${type}`);
    }
    return types.sort();
  };
  const outcomes = ['1 FollowUpApproved', '2 FollowUpApproved', '2 FollowUpUnknown', '3 FollowUpDeclined'];
  await eventually(async () => (await recorded()).length >= outcomes.length);
  expect(await recorded()).toEqual(outcomes);
  await log.close();
  await app.close();
  expect(failures()).toEqual([]);
  const ledger = readLedger(environment.simulatorLedgerPath);
  expect(ledger.violations()).toEqual([]);
  expect(ledger.requests().map(({ kind }) => kind)).toEqual(['charge', 'return', 'return', 'return']);
  ledger.close();
}, 60_000);
