import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemIds, systemRandom, type ClientOrderId } from '@app/kernel';
import { createKeyRing, KeyedDigests, RingSealer } from '@app/card-vault';
import { runDecision } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { productsFrom } from '@app/configuration';
import { VirtualClock } from '@app/testing';
import type { ClientCardId } from '../domain/terms';
import { invoice, type InvoiceCommand } from '../domain/invoice';
import type { FinalStatus } from '../domain/order-end';
import { wallet, WALLET_CARDS_MAX } from '../domain/wallet';
import { invoiceCodec, invoiceStream, walletStream, walletCodec, sessionCodec, sessionStream } from '../merchant-server.codec';
import { answerCheck, opened, openInvoice } from '../testing/sample-merchant-server';
import { session } from '../domain/session';
import { digestOf } from './random-text';
import { envelopeOf } from './envelope';
import { DurableOrderEnds } from './order-ends';
import { RecordCardsHandler, type CardsRequest } from './record-cards.handler';

const folder = mkdtempSync(join(tmpdir(), 'record-cards-'));
afterAll(() => rmSync(folder, { recursive: true }));
const {
  all: [product],
} = productsFrom(
  JSON.stringify({ login: 'acme', controlKey: '00112233445566778899aabbccddeeff', endpoints: [{ id: '1001', currency: 'USD' }] }),
  {
    source: 'test',
    folder,
    environment: {},
  },
);
const keyRing = createKeyRing(join(folder, 'keyring.json'));
const { login } = product;
const { invoiceId, consumer } = opened.data;
const shown = { accessToken: 'a token', serialNumber: 'SN-1', token: 'a session token' };
const EVENTS_AN_APPEND = 100;

const checkedBeside = async (cards: number) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const digests = new KeyedDigests(keyRing);
  const sealer = new RingSealer(keyRing, systemRandom);
  const ports = { store, digests, sealer, clock, ids: systemIds, random: systemRandom };
  const envelope = () => envelopeOf(ports, 'gateway', login);
  const presented = {
    accessToken: digestOf(digests, 'access token', login, shown.accessToken),
    serialNumber: digestOf(digests, 'serial number', login, shown.serialNumber),
  };
  const token = digestOf(digests, 'session token', login, shown.token);
  const nonce = digestOf(digests, 'nonce', login, NONCE);
  const now = clock.now();
  const commands: readonly InvoiceCommand[] = [
    { ...openInvoice, data: { ...openInvoice.data, ...presented, sealedNonce: sealer.seal(login, 'nonce', NONCE), nonce, now } },
    answerCheck({ ...presented, nonce, facts: { session: token }, now }),
  ];
  const invoices = { store, codec: invoiceCodec, decider: invoice, stream: invoiceStream(login, invoiceId) };
  for (const command of commands) await runDecision({ ...invoices, command, envelope: envelope() });
  const sessions = { store, codec: sessionCodec, decider: session, stream: sessionStream(login, token) };
  await runDecision({ ...sessions, command: { type: 'LearnSession', data: { invoiceId, now } }, envelope: envelope() });
  const wallets = { store, codec: walletCodec, decider: wallet, stream: walletStream(login, consumer) };
  for (let from = 0; from < cards; from += EVENTS_AN_APPEND) {
    const cardsOfWallet = Array.from({ length: Math.min(EVENTS_AN_APPEND, cards - from) }, (_, index) => ({
      use: 'source' as const,
      uniqueReferenceCardId: String(from + index),
      bin: 444_455,
      serverCardId: 'c',
      newClientCardId: `card-${from + index}` as ClientCardId,
    }));
    await runDecision({ ...wallets, command: { type: 'NameCards', data: { cards: cardsOfWallet, now } }, envelope: envelope() });
  }
  const ends = new DurableOrderEnds(ports);
  const handler = new RecordCardsHandler(ports, ends);
  const notify = (more: CardsRequest['cards'], nonce?: string) =>
    handler.handle({ ...shown, product, operation: 'sale', nonce, cards: more });
  const end = (status: FinalStatus, orderId = 'order-1') =>
    ends.remember({ product, clientOrderId: invoiceId as string as ClientOrderId, orderId, status });
  return { store, notify, end };
};

const NONCE = 'n';
const card = { uniqueReferenceCardId: 'new', bin: 444_455, serverCardId: 'c' };
const recorded = { kind: 'recorded', invoiceId, endpointId: '1001', nonce: NONCE };

describe('a card notification for a full wallet', () => {
  it('is acknowledged without assigning an id, and changes nothing when repeated', async () => {
    const { store, notify } = await checkedBeside(WALLET_CARDS_MAX);
    expect(await notify({ source: card })).toStrictEqual(recorded);
    const before = await store.head();
    expect(await notify({ source: card })).toStrictEqual(recorded);
    expect(await store.head()).toBe(before);
  });
});

it('a repeated card notification is refused if it adds a second card', async () => {
  const { store, notify } = await checkedBeside(0);
  expect(await notify({ source: card })).toStrictEqual(recorded);
  const before = await store.head();
  expect(await notify({ source: card, destination: card })).toStrictEqual({ kind: 'forbidden' });
  expect(await store.head()).toBe(before);
});

describe('a notification for an order whose end is already recorded', () => {
  it.each(['declined', 'filtered', 'error'] as const)('is refused without assigning an id if the order was %s [W530]', async (status) => {
    const { store, notify, end } = await checkedBeside(0);
    await end(status);
    const before = await store.head();
    expect(await notify({ source: card })).toStrictEqual({ kind: 'order-not-approved' });
    expect(await store.head()).toBe(before);
  });

  it('is accepted if this order or another with its client_orderid is approved, at once or by correction [W530]', async () => {
    for (const ends of [['approved'], ['declined', 'approved']] as const) {
      const { notify, end } = await checkedBeside(0);
      for (const status of ends) await end(status);
      expect(await notify({ source: card })).toStrictEqual(recorded);
    }
    const { notify, end } = await checkedBeside(0);
    await end('approved', 'order-1');
    await end('declined', 'order-2');
    expect(await notify({ source: card })).toStrictEqual(recorded);
  });

  it('is acknowledged again if the cards were mapped before', async () => {
    const { notify, end } = await checkedBeside(0);
    expect(await notify({ source: card })).toStrictEqual(recorded);
    await end('declined');
    expect(await notify({ source: card })).toStrictEqual(recorded);
  });
});

describe('a notification with the nonce of its initiate request', () => {
  it('is accepted with the correct nonce and refused with another [W531]', async () => {
    const { store, notify } = await checkedBeside(0);
    const before = await store.head();
    expect(await notify({ source: card }, 'another')).toStrictEqual({ kind: 'forbidden' });
    expect(await store.head()).toBe(before);
    expect(await notify({ source: card }, NONCE)).toStrictEqual(recorded);
  });
});
