import { erasureCodec, erasureStream, type ErasureEvent } from '@app/investigation/erasure';
import { hashOf, type Last, type NewEvent } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { CardHandle, MerchantLogin, Sealed } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { foldOrderStatus, logEventOf, type OrderEvent } from '@app/read-models';
import { ACCEPTED_AT, sampleOrder, VirtualClock } from '@app/testing';
import { OperatorService, type OperatorServicePorts } from '@app/investigation';

const ACME = 'acme' as MerchantLogin;
const ORDER = sampleOrder({});
const STREAM = paymentStream(ACME, ORDER.clientOrderId);
const NAMED = { orderStream: STREAM as string, orderId: ORDER.orderId, merchant: ACME };
const REQUESTED: ErasureEvent = {
  type: 'ErasureRequested',
  data: {
    ...NAMED,
    requestId: 'request-1',
    cause: 'request',
    reason: 'sealed-reason' as Sealed,
    texts: ['k-1', 'k-2'],
    cards: [{ handle: 'h-1' as CardHandle, references: [] }],
    requestedAt: ACCEPTED_AT,
  },
};
const ERASED: ErasureEvent = { type: 'Erased', data: { requestId: 'request-1', erasedAt: ACCEPTED_AT } };
const HELD: ErasureEvent = { type: 'LegalHoldPlaced', data: { ...NAMED, reason: 'sealed-reason' as Sealed, placedAt: ACCEPTED_AT } };

const shownAfter = async (...events: readonly ErasureEvent[]) => {
  const log = new MemoryEventStore(new VirtualClock());
  const cause = { correlation: 's', causation: 's', actor: 'acme', merchant: ACME, recordedAt: ACCEPTED_AT };
  const accepted = paymentCodec.encode([{ type: 'OrderAccepted', data: ORDER }], STREAM, 'no_stream', { ...cause, commandId: 'c' });
  await log.append(STREAM, 'no_stream', accepted);
  let last: Last = 'no_stream';
  for (const [index, event] of events.entries()) {
    const encoded: readonly NewEvent[] = erasureCodec.encode([event], erasureStream(STREAM), last, { ...cause, commandId: `e${index}` });
    const answer = await log.append(erasureStream(STREAM), last === 'no_stream' ? last : last.revision, encoded as never);
    if (answer.kind !== 'appended' || encoded[0] === undefined) throw new Error('not appended');
    last = { revision: answer.revision, hash: hashOf(encoded[0]) };
  }
  const service = new OperatorService({
    log,
    accounts: { logins: [ACME] },
    readModel: { operatorOrders: { byOrderId: () => Promise.resolve({ stream: STREAM }) } },
    orders: {
      ofStream: async () => {
        for await (const stored of log.read(STREAM))
          return foldOrderStatus(undefined, logEventOf(stored, paymentCodec.decode(stored) as OrderEvent));
        return undefined;
      },
    },
  } as unknown as OperatorServicePorts);
  return service.order(ORDER.orderId, { name: 'ann', role: 'investigator', tokenSha256: '' });
};

const AT = new Date(ACCEPTED_AT).toISOString();
const DONE = { requestId: 'request-1', cause: 'request', texts: 2, cards: 1, erasedAt: AT };

describe('an order shown by its name', () => {
  it('has no erasure member if no erasure or hold is recorded', async () =>
    expect(await shownAfter()).toStrictEqual(expect.not.objectContaining({ erasure: expect.anything() })));

  it.each<[string, readonly ErasureEvent[], object]>([
    ['that it is held', [HELD], { heldSince: AT, done: [] }],
    ['that it is being erased', [REQUESTED], { underWay: { requestId: 'request-1', requestedAt: AT }, done: [] }],
    ['what was erased, and that it is held since', [REQUESTED, ERASED, HELD], { heldSince: AT, done: [DONE] }],
  ])('reports %s', async (_what, events, erasure) => {
    const shown = await shownAfter(...events);
    expect(shown).toMatchObject({ orderId: ORDER.orderId });
    expect(shown?.erasure).toStrictEqual(erasure);
    expect(JSON.stringify(shown)).not.toContain('sealed-reason');
  });
});
