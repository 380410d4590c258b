import type { OrderSealer } from '@app/card-vault';
import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import type { CardRegistrationEvent } from '@app/card-registration/events';
import { deliveryCodec, deliveryKey, deliveryStream } from '@app/callbacks';
import { hashOf, type AnyEvent, type EventCodec, type Last, type StoredEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { AttemptKey, CardRefId, GateAlias, MerchantLogin, OrderId, Sealed } from '@app/kernel';
import { SEALED_FIELDS, packTexts } from '@app/orders/domain';
import { paymentCodec, paymentStream } from '@app/payment';
import type { Mention } from '@app/read-models';
import { ACCEPTED_AT, attemptEvents, finalEvents, sampleCard, sampleOrder, VirtualClock } from '@app/testing';
import { approvalCodec, approvalIdFor, approvalStream } from '../approvals';
import { operatorAuditCodec, operatorStream, type OperatorAuditEvent } from '../record/operator-audit.events';
import { OrderTrails, type OrderTrail, type OrderTrailPorts } from './order-trail';

const ACME = 'acme' as MerchantLogin;
const CARD_REFERENCE = 'p658a47wgsfirs4rvrfc' as CardRefId;
const ORDER = sampleOrder({ customer: 'customer-sealed' as Sealed, details: 'details-erased' as Sealed });
const STREAM = paymentStream(ORDER.merchant, ORDER.clientOrderId);
const ISSUED: CardRegistrationEvent = {
  type: 'CardReferenceIssued',
  data: {
    cardRefId: CARD_REFERENCE,
    use: 'source',
    merchant: ACME,
    orderKind: 'payment',
    orderId: ORDER.orderId,
    clientOrderId: ORDER.clientOrderId,
    endpointId: ORDER.endpointId,
    card: sampleCard(),
    customer: 'customer-sealed' as Sealed,
    issuedAt: ACCEPTED_AT,
  },
};

const TEXTS: Readonly<Record<string, string>> = {
  [`${SEALED_FIELDS.customer} customer-sealed`]: packTexts({
    holder: 'JANE CANARY',
    city: '4111 1111 1111 1111',
    email: 'canary@example.com',
  }),
  [`${SEALED_FIELDS.settlementReason} reason-sealed`]: 'the acquirer says so',
};

const world = () => {
  const clock = new VirtualClock();
  const log = new MemoryEventStore(clock);
  const mentions = new Map<string, Mention[]>();
  const questions = new Map<string, Mention[]>();
  const unsealed: string[] = [];
  const lasts = new Map<StreamName, Last>();
  const append = async <Event extends AnyEvent>(
    codec: EventCodec<Event>,
    stream: StreamName,
    event: Event,
    by = {},
  ): Promise<StoredEvent> => {
    const last = lasts.get(stream) ?? 'no_stream';
    const id = `${stream}-${String(lasts.size)}-${event.type}-${last === 'no_stream' ? 0 : last.revision}`;
    const envelope = { correlation: 's-1', causation: 's-1', actor: 'acme', merchant: ACME, commandId: id, recordedAt: clock.now(), ...by };
    const encoded = codec.encode([event], stream, last, envelope);
    const answer = await log.append(stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
    if (answer.kind !== 'appended') throw new Error('not appended');
    lasts.set(stream, { revision: answer.revision, hash: hashOf(encoded[0]) });
    for await (const stored of log.read(stream, answer.revision)) return stored;
    throw new Error('not stored');
  };
  const mention = (mentioned: string, { stream, revision }: Mention, places = mentions): void => {
    const known = places.get(mentioned);
    if (known === undefined) places.set(mentioned, [{ stream, revision }]);
    else known.push({ stream, revision });
  };
  const act = async (event: OperatorAuditEvent, mentioned: string): Promise<void> => {
    const stored = await append(operatorAuditCodec, operatorStream('boot'), event, { actor: 'operator:kim', merchant: '' });
    mention(mentioned, stored, event.type === 'OperatorQueryAnswered' && event.data.revealed === undefined ? questions : mentions);
  };
  const sealer: Pick<OrderSealer, 'unseal'> = {
    unseal: (merchant, field, sealed) => {
      unsealed.push(`${merchant} ${field} ${sealed}`);
      return Promise.resolve(TEXTS[`${field} ${sealed}`]);
    },
  };
  const ports: OrderTrailPorts = {
    log,
    readModel: {
      mentions: {
        of: (name, limit) => Promise.resolve((mentions.get(name) ?? []).slice(0, limit)),
        questionsAbout: (name, limit) => Promise.resolve((questions.get(name) ?? []).slice(0, limit)),
      },
    },
    digests: { cardRefId: (_merchant: MerchantLogin, _order: OrderId, use) => (use === 'source' ? CARD_REFERENCE : ('d' as CardRefId)) },
    sealer,
  };
  return { clock, log, append, act, mention, unsealed, trails: new OrderTrails(ports), ports };
};

describe('OrderTrails', () => {
  it('lists the order, card reference, callback and operator events in log order', async () => {
    const { append, act, trails } = world();
    const accepted = await append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
    await append(paymentCodec, STREAM, attemptEvents.started(), { causation: accepted.id, actor: 'orchestrator' });
    await act({ type: 'OperatorActionBegun', data: { actionId: 'a-1', action: 'settle-unknown', role: 'operator', target: ORDER.orderId, begunAt: ACCEPTED_AT } }, ORDER.orderId); // prettier-ignore
    await append(paymentCodec, STREAM, attemptEvents.settled({ reason: 'reason-sealed' as Sealed }), {
      actor: 'operator:kim',
      claimedActor: 'lee',
    });
    const final = await append(paymentCodec, STREAM, finalEvents.approved());
    await act({ type: 'OperatorActionEnded', data: { actionId: 'a-1', outcome: 'done', endedAt: ACCEPTED_AT } }, 'a-1');
    await append(cardRegistrationCodec, cardReferenceStream(ACME, CARD_REFERENCE), ISSUED);
    const delivered = { factId: final.id, target: 'callback', orderStream: STREAM } as const;
    await append(deliveryCodec, deliveryStream(final.id, 'callback'), { type: 'CallbackDelivered', data: { ...delivered, tries: 1, status: 200, deliveredAt: ACCEPTED_AT } }); // prettier-ignore
    await act({ type: 'OperatorActionBegun', data: { actionId: 'a-2', action: 'resend-delivery', role: 'operator', target: deliveryKey(final.id, 'callback'), begunAt: ACCEPTED_AT } }, deliveryKey(final.id, 'callback')); // prettier-ignore
    await act({ type: 'OperatorActionBegun', data: { actionId: 'a-3', action: 'settle-unknown', role: 'operator', target: 'another', begunAt: ACCEPTED_AT } }, 'another'); // prettier-ignore
    const trail = await trails.of(STREAM, { isRevealed: false });
    expect(trail?.entries.map(({ number, type, actor, causedBy }) => [number, type, actor, causedBy])).toStrictEqual([
      [1, 'OrderAccepted', 'acme', null],
      [2, 'AttemptStarted', 'orchestrator', 1],
      [3, 'OperatorActionBegun', 'operator:kim', null],
      [4, 'AttemptSettled', 'operator:kim', null],
      [5, 'OrderApproved', 'acme', null],
      [6, 'OperatorActionEnded', 'operator:kim', null],
      [7, 'CardReferenceIssued', 'acme', null],
      [8, 'CallbackDelivered', 'acme', null],
      [9, 'OperatorActionBegun', 'operator:kim', null],
    ]);
    expect(trail?.entries[3]).toMatchObject({ claimedActor: 'lee', data: { reason: '[sealed]' } });
    expect(trail).toMatchObject({ revealedTexts: 0, isCutShort: false });
  });

  it('contains the proposals about the order with their decisions, their people and the actions on them', async () => {
    const { append, act, mention, trails, unsealed } = world();
    await append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
    const approvalId = approvalIdFor('one');
    const stream = approvalStream(approvalId);
    const [kim, ann] = [{ actor: 'operator:kim' }, { actor: 'operator:ann' }];
    const times = { proposedAt: ACCEPTED_AT, expiresAt: ACCEPTED_AT };
    const about = { action: 'erase-card', target: CARD_REFERENCE, merchant: ACME, orderStream: STREAM } as const;
    const reason = 'why-sealed' as Sealed;
    const proposed = await append(approvalCodec, stream, { type: 'ActionProposed', data: { ...about, proposer: kim.actor, reason, ...times } }, kim); // prettier-ignore
    mention(STREAM, proposed);
    await act({ type: 'OperatorActionBegun', data: { actionId: 'a-1', action: 'reject-action', role: 'operator', target: approvalId, begunAt: ACCEPTED_AT } }, approvalId); // prettier-ignore
    await append(approvalCodec, stream, { type: 'ProposalRejected', data: { rejecter: ann.actor, reason, rejectedAt: ACCEPTED_AT } }, ann);
    const trail = await trails.of(STREAM, { isRevealed: true });
    expect(trail?.entries.map(({ category, type, actor }) => [category, type, actor]).slice(1)).toStrictEqual([
      ['approval', 'ActionProposed', 'operator:kim'],
      ['operator', 'OperatorActionBegun', 'operator:kim'],
      ['approval', 'ProposalRejected', 'operator:ann'],
    ]);
    expect(unsealed).toContain('acme approval-reason why-sealed');
  });

  it('shows sealed texts only if they are revealed, and marks erased texts as erased', async () => {
    const { append, trails, unsealed } = world();
    await append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
    const concealed = await trails.of(STREAM, { isRevealed: false });
    expect(JSON.stringify(concealed?.entries)).not.toMatch(/canary|customer-sealed/i);
    expect(unsealed).toStrictEqual([]);
    const revealed = await trails.of(STREAM, { isRevealed: true });
    expect(revealed?.entries[0]?.data).toMatchObject({
      customer: { holder: 'JANE CANARY', city: '[card number]', email: 'canary@example.com' },
      details: '[erased]',
      acceptedAt: '2024-01-01T00:00:00.000Z',
      amount: { minor: '1042', currency: 'USD' },
    });
    expect(revealed?.revealedTexts).toBe(2);
  });

  it('never shows the payer page, nor more than the end of a token, even if revealed', async () => {
    const { append, trails, unsealed } = world();
    await append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
    await append(paymentCodec, STREAM, attemptEvents.challenged());
    const kept = { gate: 'sim-a' as GateAlias, token: '1402817', keptAt: ACCEPTED_AT };
    await append(cardRegistrationCodec, cardReferenceStream(ACME, CARD_REFERENCE), ISSUED);
    await append(cardRegistrationCodec, cardReferenceStream(ACME, CARD_REFERENCE), { type: 'GateTokenWanted', data: { gate: kept.gate, attemptKey: 'k' as AttemptKey, wantedAt: ACCEPTED_AT } }); // prettier-ignore
    await append(cardRegistrationCodec, cardReferenceStream(ACME, CARD_REFERENCE), { type: 'GateTokenKept', data: kept });
    const revealed = await trails.of(STREAM, { isRevealed: true });
    expect(revealed?.entries.find(({ type }) => type === 'PayerChallenged')?.data).toMatchObject({ page: '[sealed]' });
    expect(revealed?.entries.find(({ type }) => type === 'GateTokenKept')?.data).toMatchObject({ token: '…817' });
    expect(unsealed.filter((text) => text.includes(SEALED_FIELDS.payerPage))).toStrictEqual([]);
  });

  it('lists a stream up to the event at which its chain is broken, and reports the break', async () => {
    const { append, log, ports } = world();
    await append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
    await append(paymentCodec, STREAM, attemptEvents.started());
    const forged = {
      ...log,
      comparePositions: log.comparePositions.bind(log),
      read: async function* (stream: StreamName, from?: Parameters<MemoryEventStore['read']>[1]) {
        for await (const stored of log.read(stream, from))
          yield stored.type === 'OrderAccepted' ? { ...stored, data: stored.data.replace('1042', '9042') } : stored;
      },
    };
    const trail = await new OrderTrails({ ...ports, log: forged }).of(STREAM, { isRevealed: false });
    expect(trail?.entries.at(-1)).toMatchObject({
      data: null,
      problem: 'the chain of the stream is broken here: later events are not shown',
    });
  });

  describe('with more operator queries than a trail can list', () => {
    const question = { query: 'order-trail', role: 'investigator', target: ORDER.orderId, filters: [], digest: 'ab'.repeat(32), format: 'json', rows: 1 } as const; // prettier-ignore
    const asked = async (count: number) => {
      const made = world();
      const ask = (queryId: string, revealed = {}) =>
        made.act({ type: 'OperatorQueryAnswered', data: { queryId, ...question, ...revealed, answeredAt: ACCEPTED_AT } }, ORDER.orderId);
      await made.append(paymentCodec, STREAM, { type: 'OrderAccepted', data: ORDER });
      for (let number = 0; number < count; number++) await ask(`q-${number}`);
      await ask('q-revealed', { revealed: { texts: 2, reason: 'reason-sealed' as Sealed } });
      await made.act({ type: 'OperatorActionBegun', data: { actionId: 'a-1', action: 'erase-order', role: 'admin', target: ORDER.orderId, begunAt: ACCEPTED_AT } }, ORDER.orderId); // prettier-ignore
      return made.trails;
    };
    const HAPPENED = ['OrderAccepted', 'OperatorQueryAnswered', 'OperatorActionBegun'];
    const ROOM = 5_000 - HAPPENED.length;
    const typesOf = (trail: OrderTrail | undefined) => trail?.entries.map(({ type }) => type) ?? [];

    it('lists all events and reveals, as many queries as fit, and reports that queries were cut', async () => {
      const full = await (await asked(ROOM)).of(STREAM, { isRevealed: false });
      expect(full).toMatchObject({ isCutShort: false, areQuestionsCut: false });
      const cut = await (await asked(ROOM + 1)).of(STREAM, { isRevealed: false });
      expect(cut).toMatchObject({ isCutShort: false, areQuestionsCut: true });
      for (const trail of [full, cut]) {
        expect(trail?.entries).toHaveLength(5_000);
        expect(typesOf(trail).slice(-2)).toStrictEqual(HAPPENED.slice(1));
        expect(trail?.entries.at(-2)?.data).toMatchObject({ revealed: { texts: 2 } });
        expect(trail?.entries.map(({ number }) => number)).toStrictEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
      }
    });

    it('lists only events and reveals if queries are excluded', async () => {
      const trail = await (await asked(3)).of(STREAM, { isRevealed: false, areQuestionsTold: false });
      expect(typesOf(trail)).toStrictEqual(HAPPENED);
      expect(trail).toMatchObject({ isCutShort: false, areQuestionsCut: false });
    });
  });

  it('returns undefined for a stream that does not exist', async () => {
    await expect(world().trails.of(STREAM, { isRevealed: false })).resolves.toBeUndefined();
  });
});
