import type { OrderSealer } from '@app/card-vault';
import { FactMissing } from '@app/callbacks';
import type { CallerTrace, Envelope, EventId, Last, StoredEvent } from '@app/event-store';
import { lastAfter, StreamCopies } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { accountsOf, type Accounts } from '@app/configuration';
import { packTexts } from '@app/orders/domain';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import {
  attemptEvents,
  disputeEvents,
  finalEvents,
  followUpEvents,
  sampleOrder,
  samplePlan,
  sampleReceipt,
  seededRandom,
  textOrderIds,
  usd,
  VirtualClock,
} from '@app/testing';
import { StreamCallbackFacts } from './callback-facts';
import { CurrentOrderReader } from './current-order';

const { merchant, clientOrderId, orderId } = sampleOrder();
const stream = paymentStream(merchant, clientOrderId);
const ORDER_SERIAL = '00000000-0000-0000-0000-000000000001';
const FOLLOW_UP_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace;
const FOLLOW_UP_SERIAL = '00000000-0000-0000-0000-000000000002';
const texts = packTexts({ holder: 'JOHN SMITH', callbackUrl: 'https://merchant.example/c', notifyUrl: 'https://merchant.example/n' });

const story: readonly PaymentEvent[] = [
  { type: 'OrderAccepted', data: sampleOrder() },
  attemptEvents.started(),
  attemptEvents.approved(),
  finalEvents.approved(),
  followUpEvents.accepted({ amount: usd(500n), callbacks: ['notify'] }),
  followUpEvents.started(),
  followUpEvents.approved({ receipt: sampleReceipt({ transactionId: 'PNTEST-F' }), approvalCode: 'F1', callbacks: ['notify'] }),
  followUpEvents.accepted({ number: 2, operation: 'void', callbacks: ['notify'] }),
  followUpEvents.started({ number: 2 }),
  followUpEvents.declined({ number: 2, callbacks: ['notify'] }),
];

const factsOf = async (
  events = story,
  sealed = texts,
): Promise<{ readonly facts: StreamCallbackFacts; idOf(type: PaymentEvent['type']): EventId }> => {
  const sealer = { unseal: () => Promise.resolve(sealed) } as unknown as OrderSealer;
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  let last: Last = 'no_stream';
  for (const [index, event] of events.entries()) {
    const isFollowUp = event.type.startsWith('FollowUp');
    const correlation = isFollowUp ? FOLLOW_UP_SERIAL : ORDER_SERIAL;
    const envelope: Envelope = {
      correlation,
      ...(isFollowUp && { callerTrace: FOLLOW_UP_TRACE }),
      causation: 'c',
      actor: merchant,
      merchant,
      commandId: String(index),
      recordedAt: clock.now(),
    };
    const encoded = paymentCodec.encode([event], stream, last, envelope);
    const result = await store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (result.kind !== 'appended') throw new Error('a conflict');
    last = lastAfter(result.revision, encoded);
  }
  const stored: StoredEvent[] = [];
  for await (const event of store.read(stream)) stored.push(event);
  const accounts = accountsOf([] as unknown as Accounts['merchants'], [] as unknown as Accounts['gates'], []);
  return {
    facts: new StreamCallbackFacts(new CurrentOrderReader(store, textOrderIds(seededRandom()), new StreamCopies()), sealer, accounts),
    idOf: (type) => stored.find((event) => event.type === type)?.id ?? ('' as EventId),
  };
};

const CARD = { 'card-type': 'VISA', 'card-exp-month': '12', 'card-exp-year': '2030', bin: '444455', 'last-four-digits': '1111' };

describe('content of a callback (protocol decisions, section 6)', () => {
  it('of an order shows the order as of its final event, regardless of later events [W505]', async () => {
    const { facts, idOf } = await factsOf();
    expect(await facts.factOf(stream, idOf('OrderApproved'), 'callback')).toMatchObject({
      url: 'https://merchant.example/c',
      correlation: ORDER_SERIAL,
      callerTrace: undefined,
      members: { status: 'approved', type: 'sale', amount: '10.42', orderid: orderId, 'processor-tx-id': 'PNTEST-1', ...CARD },
    });
  });

  it('of a follow-up has its type, status, amount and gate data, and is sent to notify_url [W334, W337]', async () => {
    const { facts, idOf } = await factsOf();
    expect(await facts.factOf(stream, idOf('FollowUpApproved'), 'notify')).toMatchObject({
      url: 'https://merchant.example/n',
      correlation: FOLLOW_UP_SERIAL,
      callerTrace: FOLLOW_UP_TRACE,
      members: {
        status: 'approved',
        type: 'reversal',
        amount: '5.00',
        currency: 'USD',
        orderid: orderId,
        'approval-code': 'F1',
        'processor-tx-id': 'PNTEST-F',
      },
    });
    expect(await facts.factOf(stream, idOf('FollowUpDeclined'), 'notify')).toMatchObject({
      members: { status: 'declined', type: 'void', amount: '10.42', error_code: '116' },
    });
  });

  describe('about a later report of the gate', () => {
    const reported: readonly PaymentEvent[] = [
      ...story.slice(0, 4),
      disputeEvents.chargeback({ amount: usd(500n), reasonCode: '10.4', callbacks: ['notify'] }),
      disputeEvents.representment({ amount: usd(500n), callbacks: ['notify'] }),
      disputeEvents.reversal({ callbacks: ['notify'] }),
      disputeEvents.fraudWarning({ amount: usd(42n), callbacks: ['notify'] }),
      disputeEvents.setAside(),
    ];
    const own = {
      orderid: orderId,
      client_orderid: clientOrderId,
      currency: 'USD',
      'processor-tx-id': 'PNTEST-1',
      'approval-code': 'A1B2C3',
    };

    it.each([
      [
        'ChargebackReceived',
        {
          status: 'approved',
          type: 'chargeback',
          amount: '5.00',
          report: 'chargeback',
          'report-id': 'CB-1',
          'report-stage': 'first',
          'reason-code': '10.4',
        },
      ],
      [
        'RepresentmentReported',
        {
          status: 'declined',
          type: 'chargeback',
          amount: '5.00',
          report: 'representment_won',
          'report-id': 'CB-1',
          'report-stage': 'first',
          'reason-code': undefined,
        },
      ],
      [
        'ReversalReported',
        { status: 'approved', type: 'reversal', amount: '10.42', report: 'reversal', 'report-id': 'RV-1', 'report-stage': undefined },
      ],
      [
        'FraudWarningReceived',
        {
          status: 'approved',
          type: 'fraud_warning',
          amount: '0.42',
          report: 'fraud_warning',
          'report-id': 'FW-1',
          'report-stage': undefined,
        },
      ],
    ] as const)(
      'has type, status and amount of the report, the case id, and the gate data and serial of the order: %s [W338]',
      async (type, expected) => {
        const { facts, idOf } = await factsOf(reported);
        expect(await facts.factOf(stream, idOf(type), 'notify')).toMatchObject({
          url: 'https://merchant.example/n',
          correlation: ORDER_SERIAL,
          members: { ...own, ...expected },
        });
      },
    );

    it('has the status approved for a lost chargeback', async () => {
      const lost = [...reported.slice(0, 5), disputeEvents.representment({ outcome: 'lost', amount: usd(500n), callbacks: ['notify'] })];
      const { facts, idOf } = await factsOf(lost);
      expect(await facts.factOf(stream, idOf('RepresentmentReported'), 'notify')).toMatchObject({
        members: { status: 'approved', type: 'chargeback', report: 'representment_lost' },
      });
    });

    it('is not added to the callback about the order itself', async () => {
      const { facts, idOf } = await factsOf(reported);
      const { members } = (await facts.factOf(stream, idOf('OrderApproved'), 'callback')) ?? {};
      expect(members).toMatchObject({ type: 'sale', report: undefined, 'report-id': undefined });
    });

    it('is refused for a report that was set aside', async () => {
      const { facts, idOf } = await factsOf(reported);
      await expect(facts.factOf(stream, idOf('ReportSetAside'), 'notify')).rejects.toThrow(FactMissing);
    });
  });

  it('names the operation of an account verification, without an amount [W326]', async () => {
    const plan = samplePlan({ operation: 'account-verification' });
    const { facts, idOf } = await factsOf([
      { type: 'OrderAccepted', data: sampleOrder({ amount: usd(0n), plan }) },
      attemptEvents.started({ amount: usd(0n) }),
      attemptEvents.approved(),
      finalEvents.approved({ amount: usd(0n) }),
    ]);
    const { members } = (await facts.factOf(stream, idOf('OrderApproved'), 'callback')) ?? {};
    const expected = { status: 'approved', type: 'account_verification', orderid: orderId, amount: undefined, currency: undefined };
    expect(members).toMatchObject(expected);
  });

  it.each(['FollowUpAccepted', 'AttemptApproved'] as const)('is refused for %s, which is not a final event', async (type) => {
    const { facts, idOf } = await factsOf();
    await expect(facts.factOf(stream, idOf(type), 'notify')).rejects.toThrow(FactMissing);
  });

  it.each([
    ['a stream that does not hold the fact yet', story.slice(0, 3)],
    ['a stream that is read empty', []],
  ])('throws FactMissing for %s, since an unknown address is not a missing address', async (_, events) => {
    const whole = await factsOf();
    const { facts } = await factsOf(events);
    await expect(facts.factOf(stream, whole.idOf('OrderApproved'), 'callback')).rejects.toThrow(FactMissing);
  });

  it('has no address if neither the order nor its entry point has one', async () => {
    const { facts, idOf } = await factsOf(story, packTexts({ holder: 'JOHN SMITH' }));
    expect(await facts.factOf(stream, idOf('OrderApproved'), 'callback')).toBeUndefined();
  });
});
