import { createHash } from 'node:crypto';
import { addMs } from '@app/kernel';
import type { Envelope } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Accounts } from '@app/configuration';
import { GROUP_B_OPERATIONS, SessionRequest } from '@app/gateway-protocol';
import { DeviceOrders, SESSION_LIFE_MS } from '@app/read-models/queries';
import { sessionDigest, type FeeChoice, type OpenOrder } from '@app/orders';
import { devicePlan, sampleDeviceOrder, VirtualClock } from '@app/testing';
import { transferCodec, transferStream } from '@app/transfer';
import { SessionVerifier } from '@app/http/group-b';
import { CompleteTransferTranslation } from '@app/transfer/http/transfer.controller';

const SESSION = { accessToken: 'a'.repeat(64), token: '0f7d3c1e-2222-4a4a-8b8b-333333333333' };
const SERIAL = '00000000-0000-0000-0000-000000000001';
const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHash('sha256')
      .update([kind, ...parts].join('/'))
      .digest('hex'),
};
const sample = sampleDeviceOrder({ sessionDigest: sessionDigest(digests, SESSION.accessToken, SESSION.token) });
const { merchant, endpointId, clientOrderId: invoiceId, acceptedAt } = sample;

const transferWith = async (choice: FeeChoice, operation: 'transfer' | 'sale' = 'transfer') => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const stream = transferStream(merchant, invoiceId);
  const data = { ...sample, plan: devicePlan({ operation }) };
  const envelope: Envelope = {
    correlation: SERIAL,
    causation: SERIAL,
    actor: merchant,
    merchant,
    commandId: SERIAL,
    recordedAt: acceptedAt,
  };
  await store.append(stream, 'no_stream', transferCodec.encode([{ type: 'OrderAccepted', data }], stream, 'no_stream', envelope));
  const chosen: unknown[] = [];
  const sessions = new SessionVerifier(
    { entryPoint: (_kind: string, id: string) => (id === '777' ? undefined : { merchant }) } as unknown as Accounts,
    new DeviceOrders(store, digests),
  );
  const translation = new CompleteTransferTranslation({
    contexts: { open: () => Promise.resolve({ stream } as OpenOrder) },
    fees: { choose: (open, gate, { serial }) => (chosen.push([open.stream, gate, serial]), Promise.resolve(choice)) },
  });
  const complete = async (given: { path?: object; session?: object; atMs?: number } = {}) => {
    const path = { endpointId, invoiceId, assignedId: 'sim-b', ...given.path };
    const message = Object.assign(new SessionRequest(), { session: { ...SESSION, ...given.session } });
    const request = { operation: GROUP_B_OPERATIONS['complete-transfer'], path, message, serial: SERIAL };
    const verified = await sessions.verify({ ...request, receivedAt: addMs(acceptedAt, given.atMs ?? 1) });
    return verified.kind === 'failed' ? verified : translation.answer(verified);
  };
  return { complete, chosen, stream };
};
const CHOSEN: FeeChoice = { kind: 'chosen', order: {} as OpenOrder };

describe('complete transfer (interface, sections 3.2 and 4.2)', () => {
  it('chooses the alias of the path and returns the invoice and the token [W60]', async () => {
    const { complete, chosen, stream } = await transferWith(CHOSEN);
    await expect(complete()).resolves.toStrictEqual({ kind: 'answer', body: { invoiceId, session: { token: SESSION.token } } });
    expect(chosen).toStrictEqual([[stream, 'sim-b', SERIAL]]);
  });

  it.each([
    ['fee-not-offered', 'fee-not-offered', 'assignedId is none of those offered'],
    ['fee-not-awaited', 'fee-not-awaited', 'The transfer waits for no choice'],
    ['choice-too-late', 'fee-not-awaited', 'The transfer waits for no choice'],
    ['order-final', 'fee-not-awaited', 'The transfer waits for no choice'],
  ] as const)('%s returns INVALID_REQUEST with the matching message [W376]', async (reason, name, message) => {
    const { complete } = await transferWith({ kind: 'refused', reason });
    await expect(complete()).resolves.toStrictEqual({ kind: 'failed', name, cause: 'INVALID_REQUEST', message });
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof transferWith>>['complete']>[0]]>([
    ['an unknown invoice', { path: { invoiceId: 'other' } }],
    ['another endpoint than the perform’s', { path: { endpointId: '1002' } }],
    ['an unknown endpoint', { path: { endpointId: '777' } }],
    ['a wrong accessToken', { session: { accessToken: 'b'.repeat(64) } }],
    ['a wrong token', { session: { token: '1f7d3c1e-2222-4a4a-8b8b-333333333333' } }],
    ['a token that is 24 h old', { atMs: SESSION_LIFE_MS }],
  ])(
    '%s returns the same INVALID_REQUEST and chooses no fee (protocol decisions, section 8; safety, T37) [W377, W395]',
    async (_what, given) => {
      const { complete, chosen } = await transferWith(CHOSEN);
      await expect(complete(given)).resolves.toMatchObject({ name: 'unknown-order', cause: 'INVALID_REQUEST', message: 'No such order in this session' }); // prettier-ignore
      expect(chosen).toStrictEqual([]);
    },
  );

  it('a token of a sale returns INVALID_REQUEST and chooses no fee (safety, T37) [W378]', async () => {
    const { complete, chosen } = await transferWith(CHOSEN, 'sale');
    await expect(complete()).resolves.toMatchObject({ name: 'unknown-order', cause: 'INVALID_REQUEST' });
    expect(chosen).toStrictEqual([]);
  });
});
