import type { OrderKeyId } from '@app/card-vault';
import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { deliveryCodec, deliveryStream } from '@app/callbacks';
import { lastAfter, type AnyEvent, type EventCodec, type EventId, type Last, type NewEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { CardRefId, NonEmpty, OrderId, Sealed } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import { recurringCodec, recurringStream } from '@app/recurring';
import { ACCEPTED_AT, attemptEvents, disputeEvents, finalEvents, followUpEvents, sampleOrder, VirtualClock } from '@app/testing';
import { ownerOfCard } from './customer-orders';
import { DISPUTE_OPEN_MS, StreamErasableData } from './erasable-data';

const sealed = (key: string): Sealed => `v1.${key}` as Sealed;
const order = sampleOrder({ customer: sealed('own'), details: sealed('own') });
const { merchant, orderId, clientOrderId, endpointId, card } = order;
const STREAM = paymentStream(merchant, clientOrderId);
const SOURCE = 'p658a47wgsfirs4rvrfc' as CardRefId;
const AGAIN = 'p658a47wgsfirs4rvrfd' as CardRefId;
const recurrent = { ...order, orderId: 'r0sample0order2r' as OrderId, customer: sealed('own'), details: sealed('second') };

const world = async () => {
  const clock = new VirtualClock();
  const log = new MemoryEventStore(clock);
  const lasts = new Map<StreamName, Last>();
  let count = 0;
  const write = async <Event extends AnyEvent>(
    codec: EventCodec<Event>,
    stream: StreamName,
    ...events: NonEmpty<Event>
  ): Promise<NonEmpty<NewEvent>> => {
    const last = lasts.get(stream) ?? 'no_stream';
    const commandId = `c-${++count}`;
    const envelope = { correlation: 's', causation: 's', actor: merchant, merchant, commandId, recordedAt: ACCEPTED_AT };
    const encoded = codec.encode(events, stream, last, envelope);
    const result = await log.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (result.kind !== 'appended') throw new Error('a conflict');
    lasts.set(stream, lastAfter(result.revision, encoded));
    return encoded;
  };
  const rows: { view: { cardRefId: CardRefId } }[] = [];
  const cases: { view: { order: { orderId: string; merchant: string } } }[] = [];
  const holdings = new StreamErasableData({
    log,
    readModel: {
      cardReferences: { byCard: () => Promise.resolve(rows as never) },
      reconciliationCases: { list: () => Promise.resolve(cases as never) },
    },
    sealer: { keyOf: (text) => text.slice(3) as OrderKeyId },
    digests: { cardRefId: (_merchant, _order, use) => (use === 'source' ? SOURCE : ('d'.repeat(20) as CardRefId)) },
    clock,
  });
  const register = (cardRefId: CardRefId, kind: 'payment' | 'recurring' = 'payment') =>
    write(cardRegistrationCodec, cardReferenceStream(merchant, cardRefId), {
      type: 'CardReferenceIssued',
      data: {
        cardRefId,
        use: 'source',
        merchant,
        orderKind: kind,
        orderId,
        clientOrderId,
        endpointId,
        card,
        customer: order.customer,
        issuedAt: ACCEPTED_AT,
      },
    });
  const accepted = { type: 'OrderAccepted', data: order } as const;
  return { clock, log, write, rows, cases, holdings, register, accepted };
};

const APPROVED = [attemptEvents.started(), attemptEvents.approved()] as const;

describe('holdings of an order', () => {
  it('are the key of its texts, once, and its card, or undefined if there is no order', async () => {
    const { holdings, write, accepted } = await world();
    await expect(holdings.of(STREAM)).resolves.toBeUndefined();
    await write(paymentCodec, STREAM, accepted, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    await expect(holdings.of(STREAM)).resolves.toStrictEqual({
      orderStream: STREAM,
      orderId,
      merchant,
      obstacles: [],
      texts: ['own'],
      cards: [{ handle: card.handle, references: [] }],
      aged: { isApproved: true, finalAt: expect.any(Number), cardExpiresAt: Date.UTC(2031, 0, 1), isCardReferred: false },
    });
  });

  it('include the comment of a follow-up, but not the reason of an operator', async () => {
    const { holdings, write, accepted } = await world();
    await write(
      paymentCodec,
      STREAM,
      accepted,
      attemptEvents.started(),
      attemptEvents.unknown(),
      { type: 'AttemptSettled', data: { ...attemptEvents.settled().data, as: 'approved', reason: sealed('grounds') } },
      finalEvents.approved({ callbacks: [] }),
      followUpEvents.accepted({ comment: sealed('comment'), callbacks: [] }),
    );
    expect((await holdings.of(STREAM))?.texts).toStrictEqual(['own', 'comment']);
  });

  it('exclude card and customer of a recurrent payment, which belong to the order that registered the card', async () => {
    const { holdings, write } = await world();
    const stream = recurringStream(merchant, clientOrderId);
    const data = { ...recurrent, cardRefId: SOURCE, marks: {} };
    await write(recurringCodec, stream, { type: 'OrderAccepted', data }, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    await expect(holdings.of(stream)).resolves.toMatchObject({ texts: ['second'], cards: [] });
  });

  it('list every active reference of its card, including references from other orders', async () => {
    const { holdings, write, accepted, register, rows } = await world();
    await write(paymentCodec, STREAM, accepted, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    await register(SOURCE);
    const references = async () => (await holdings.of(STREAM))?.cards.flatMap((one) => one.references);
    expect(await references()).toStrictEqual([SOURCE]);
    await register(AGAIN, 'recurring');
    rows.push({ view: { cardRefId: SOURCE } }, { view: { cardRefId: AGAIN } });
    expect(await references()).toStrictEqual([SOURCE, AGAIN]);
    await write(cardRegistrationCodec, cardReferenceStream(merchant, SOURCE), { type: 'CardShredded', data: { shreddedAt: ACCEPTED_AT } });
    expect(await references()).toStrictEqual([AGAIN]);
  });
});

describe('obstacles to an erasure', () => {
  it('include an order that is not final, and a follow-up that is not final', async () => {
    const { holdings, write, accepted } = await world();
    const obstacles = async () => (await holdings.of(STREAM))?.obstacles;
    await write(paymentCodec, STREAM, accepted);
    expect(await obstacles()).toStrictEqual(['not-final']);
    await write(paymentCodec, STREAM, ...APPROVED);
    await write(paymentCodec, STREAM, finalEvents.approved({ callbacks: [] }));
    expect(await obstacles()).toStrictEqual([]);
    await write(paymentCodec, STREAM, followUpEvents.accepted());
    expect(await obstacles()).toStrictEqual(['follow-up-open']);
  });

  it('include a callback until it is delivered', async () => {
    const { holdings, write, accepted } = await world();
    const obstacles = async () => (await holdings.of(STREAM))?.obstacles;
    await write(paymentCodec, STREAM, accepted, ...APPROVED);
    const [final] = await write(paymentCodec, STREAM, finalEvents.approved({ callbacks: ['callback'] }));
    expect(await obstacles()).toStrictEqual(['callback-due']);
    const factId: EventId = final.id;
    const delivered = { factId, target: 'callback', orderStream: STREAM, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } as const;
    await write(deliveryCodec, deliveryStream(factId, 'callback'), { type: 'CallbackDelivered', data: delivered });
    expect(await obstacles()).toStrictEqual([]);
  });

  it('include an unanswered chargeback, until it is too old for any scheme', async () => {
    const { holdings, write, accepted, clock } = await world();
    const obstacles = async () => (await holdings.of(STREAM))?.obstacles;
    await write(paymentCodec, STREAM, accepted, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    await write(paymentCodec, STREAM, disputeEvents.chargeback({ callbacks: [] }));
    expect(await obstacles()).toStrictEqual(['dispute-open']);
    await clock.advance(DISPUTE_OPEN_MS * 2);
    expect(await obstacles()).toStrictEqual([]);
  });

  it('exclude a chargeback that was represented', async () => {
    const { holdings, write, accepted } = await world();
    await write(paymentCodec, STREAM, accepted, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    await write(paymentCodec, STREAM, disputeEvents.chargeback({ callbacks: [] }), disputeEvents.representment({ callbacks: [] }));
    expect((await holdings.of(STREAM))?.obstacles).toStrictEqual([]);
  });

  it('include an open reconciliation case of the same order, or too many open cases to check', async () => {
    const { holdings, write, accepted, cases } = await world();
    const obstacles = async () => (await holdings.of(STREAM))?.obstacles;
    await write(paymentCodec, STREAM, accepted, ...APPROVED, finalEvents.approved({ callbacks: [] }));
    cases.push({ view: { order: { orderId: 'another', merchant } } }, { view: { order: { orderId, merchant: 'another' } } });
    expect(await obstacles()).toStrictEqual([]);
    cases.push({ view: { order: { orderId, merchant } } });
    expect(await obstacles()).toStrictEqual(['case-open']);
    cases.splice(0, cases.length, ...Array.from({ length: 1_000 }, () => ({ view: { order: { orderId: 'another', merchant } } })));
    expect(await obstacles()).toStrictEqual(['case-open']);
  });
});

describe('ownerOfCard', () => {
  it('returns the order that registered the card, for its own, derived and shredded references', async () => {
    const { log, write, accepted, register } = await world();
    await write(paymentCodec, STREAM, accepted);
    await register(SOURCE);
    const data = { ...recurrent, clientOrderId: clientOrderId, cardRefId: SOURCE, marks: {} };
    await write(recurringCodec, recurringStream(merchant, clientOrderId), { type: 'OrderAccepted', data });
    await register(AGAIN, 'recurring');
    const known: { view?: object } = {};
    const sources = {
      log,
      readModel: { cardReferences: { byReference: () => Promise.resolve(known.view && ({ view: known.view } as never)) } },
    };
    const owner = { stream: STREAM, handle: card.handle };
    await expect(ownerOfCard(sources, merchant, AGAIN)).resolves.toStrictEqual(owner);
    await expect(ownerOfCard(sources, merchant, SOURCE)).resolves.toStrictEqual(owner);
    await expect(ownerOfCard(sources, merchant, 'd'.repeat(20) as CardRefId)).resolves.toBeUndefined();
    await write(cardRegistrationCodec, cardReferenceStream(merchant, SOURCE), { type: 'CardShredded', data: { shreddedAt: ACCEPTED_AT } });
    await expect(ownerOfCard(sources, merchant, SOURCE)).resolves.toBeUndefined();
    known.view = { orderKind: 'payment', clientOrderId, card };
    await expect(ownerOfCard(sources, merchant, SOURCE)).resolves.toStrictEqual(owner);
  });
});
