import { join } from 'node:path';
import { erasureStream } from '@app/investigation/erasure';
import type { StoredEvent, StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler } from '@app/kernel';
import { CallbackReceiver, DELIVERED } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(120_000);

let receiver: CallbackReceiver;
let service: Service;
let acme: Merchant;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  receiver.behave(DELIVERED);
  // On files, because this test reads and writes the log while the service runs.
  service = await Service.start({ stores: 'files', configuration: sandboxConfiguration({ ports: [receiver.port] }) });
  acme = new Merchant(service);
}, 60_000);

afterAll(async () => {
  await receiver.stop();
  await service.dispose();
});

type Json = Readonly<Record<string, unknown>>;
const verb = (...args: readonly string[]): Promise<OrchEnded> => orch(args, service.orchEnvironment);
const json = async (...args: readonly string[]): Promise<Json> => {
  const ended = await verb('--json', ...args);
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.code} ${ended.problems}`);
  return JSON.parse(ended.out) as Json;
};
/** An order is refused while its callbacks are pending or the index lacks it. */
const erasedSoon = (...args: readonly string[]): Promise<OrchEnded> =>
  until(
    async () => {
      const ended = await verb('--json', 'erase', '--reason', 'asked by letter', ...args);
      return ended.problems.includes('callback-due') || ended.problems.includes('not-found') || ended.problems.includes('unknown-order')
        ? undefined
        : ended;
    },
    { what: `the erasure of ${args.join(' ')}`, timeoutMs: 20_000 },
  );
const storedOf = async (stream: StreamName): Promise<readonly StoredEvent[]> => {
  const log = await EmbeddedEventStore.open({
    path: join(service.dataDir, 'events.sqlite'),
    clock: systemClock,
    scheduler: systemScheduler,
  });
  try {
    const events: StoredEvent[] = [];
    for await (const event of log.read(stream)) events.push(event);
    return events;
  } finally {
    await log.close();
  }
};
const streamOf = async ({ orderId }: Order): Promise<StreamName> => (await json('show', orderId))['stream'] as StreamName;

it('erasing an order makes its texts unreadable and leaves its events and hash chain unchanged', async () => {
  const email = 'erased.payer@example.com';
  const order = await acme.approvedSale({ email, server_callback_url: receiver.url('/erased') });
  expect((await acme.status(order)).body).toContain('erased.payer');
  const stream = await streamOf(order);
  await until(() => receiver.received.some(({ path }) => path === '/erased') || undefined, { what: 'the callback' });
  const ended = await erasedSoon('--order', order.orderId);
  expect([ended.code, ended.problems, JSON.parse(ended.out)]).toMatchObject([0, '', { orderId: order.orderId, texts: 1, cards: 1 }]);

  const { fields, body } = await acme.status(order);
  expect(fields).toMatchObject({ type: 'status-response', status: 'approved', 'paynet-order-id': order.orderId });
  expect(body).not.toContain('erased.payer');
  const shown = (await verb('show', order.orderId)).out;
  expect(shown).toMatch(/erased \S+ on request: 1 key of texts, 1 card, request /);
  expect(shown).toContain('customer and details [erased]');
  expect(await json('show', order.orderId)).toMatchObject({ erasure: { done: [{ cause: 'request', texts: 1, cards: 1 }] } });

  const again = await verb('erase', '--order', order.orderId, '--reason', 'again');
  expect([again.code, again.out]).toStrictEqual([0, `order ${order.orderId}: nothing left to erase\n`]);
  // A callback sent again has no address any more, and must not delay others.
  const [{ deliveryId }] = JSON.parse(`[${(await verb('--json', 'deliveries', order.orderId)).out.trim().split('\n').join(',')}]`) as [
    { deliveryId: string },
  ];
  expect((await verb('deliveries', 'resend', deliveryId, '--reason', 'the shop lost it')).code).toBe(0);
  // The card can no longer be registered or charged; requests without a card still work.
  expect((await acme.createCardRef(order)).fields).toMatchObject({ 'error-code': '5' });
  await acme.approvedFollowUp('return', order);

  await service.stop();
  const events = await storedOf(stream);
  expect(events.map(({ type }) => type).slice(0, 4)).toStrictEqual(['OrderAccepted', 'AttemptStarted', 'AttemptApproved', 'OrderApproved']);
  expect(events[0]?.data).toMatch(/"customer":"v1\./);
  expect((await storedOf(erasureStream(stream))).map(({ type }) => type)).toStrictEqual(['ErasureRequested', 'Erased']);
  await service.restart();
  expect((await acme.status(order)).fields).toMatchObject({ status: 'approved' });
});

it('erasing an order is refused while its card reference is active, and succeeds with the reference', async () => {
  const order = await acme.approvedSale();
  const { 'card-ref-id': cardRefId = '' } = (await acme.createCardRef(order)).fields;
  const refused = await erasedSoon('--order', order.orderId);
  expect([refused.code, refused.problems]).toStrictEqual([4, expect.stringContaining('card-reference-lives')]);
  await acme.finalStatus(await acme.accepted(acme.rebill(cardRefId)));
  const ended = await erasedSoon('--order', order.orderId, '--end-references');
  expect(ended).toMatchObject({ code: 0, problems: '' });
  expect((await acme.cardInfo(cardRefId)).fields).toMatchObject({ 'error-code': '5' });
  expect((await acme.rebill(cardRefId)).fields).toMatchObject({ 'error-code': '5' });
  expect((await acme.createCardRef(order)).fields).toMatchObject({ 'error-code': '5' });
});

it('erasing a card by its reference keeps the texts of the order', async () => {
  const order = await acme.approvedSale({ email: 'keeps.texts@example.com' });
  const { 'card-ref-id': cardRefId = '' } = (await acme.createCardRef(order)).fields;
  const ended = await erasedSoon('--card', cardRefId);
  expect([ended.problems, JSON.parse(ended.out)]).toMatchObject(['', { cardRefId, texts: 0, cards: 1 }]);
  expect((await acme.rebill(cardRefId)).fields).toMatchObject({ 'error-code': '5' });
  expect((await acme.status(order)).body).toContain('keeps.texts');
  expect((await verb('erase', '--card', cardRefId, '--reason', 'again')).out).toBe(`card reference ${cardRefId}: nothing left to erase\n`);
  expect((await verb('erase', '--card', 'z'.repeat(20), '--reason', 'x')).code).toBe(3);
});

it('erasing by customer finds and erases all orders of one payer, and no others', async () => {
  const email = 'forget.me@example.com';
  const orders = [await acme.approvedSale({ email }), await acme.approvedSale({ email: 'Forget.Me@Example.com' })];
  const stays = await acme.approvedSale({ email: 'another@example.com' });
  const listed = await verb('--json', 'erase', '--customer', email, '--merchant', 'acme', '--reason', 'asked', '--dry-run');
  const ids = listed.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { orderId: string }).orderId);
  expect(new Set(ids)).toStrictEqual(new Set(orders.map(({ orderId }) => orderId)));
  const ended = await until(
    async () => {
      const one = await verb('erase', '--customer', email, '--merchant', 'acme', '--reason', 'asked by letter');
      return one.code === 0 ? one : undefined;
    },
    { what: 'the erasure of the payer' },
  );
  expect(ended.out).toMatch(/2 orders of this payer at acme|0 orders of this payer at acme/);
  for (const order of orders) expect((await acme.status(order)).body.toLowerCase()).not.toContain('forget.me');
  expect((await acme.status(stays)).body).toContain('another');
  expect((await verb('erase', '--customer', email, '--merchant', 'acme', '--reason', 'again')).out).toBe(
    '0 orders of this payer at acme\n',
  );
  expect((await verb('erase', '--customer', email, '--reason', 'x')).code).toBe(2);
  expect((await verb('erase', '--order', 'a', '--card', 'b', '--reason', 'x')).code).toBe(2);
});

it('the worker erases expired data by the retention rules, and a dry run explains what is kept', async () => {
  const SECOND_IN_DAYS = 1 / 86_400;
  const rules = { refusedCardMinutes: 0.01, personalDataDays: 20 * SECOND_IN_DAYS };
  const own = await Service.start({ stores: 'files', configuration: sandboxConfiguration({ whole: { retention: rules } }) });
  try {
    const shop = new Merchant(own);
    const declined = await shop.accepted(shop.sale({ cvv2: '116', email: 'grows.old@example.com' }));
    await shop.finalStatus(declined);
    const { 'card-ref-id': cardRefId = '' } = (await shop.createCardRef(await shop.approvedSale())).fields;
    const shown = (name: string) => orch(['show', name], own.orchEnvironment);
    await until(async () => (await shown(declined.orderId)).out.includes('by age: 0 keys of texts, 1 card') || undefined, {
      what: 'the card to be erased',
    });
    expect((await shop.status(declined)).body).toContain('grows.old');
    await until(async () => (await shown(declined.orderId)).out.includes('by age: 1 key of texts, 0 cards') || undefined, {
      what: 'the texts to be erased',
      timeoutMs: 60_000,
    });
    expect((await shop.status(declined)).body).not.toContain('grows.old');
    const dry = await orch(['retention', '--dry-run'], own.orchEnvironment);
    expect([dry.code, dry.problems]).toStrictEqual([0, '']);
    expect(dry.out).toContain('1 card-reference-lives');
    expect((await shop.cardInfo(cardRefId)).fields).toMatchObject({ type: 'get-card-info-response' });
    expect((await orch(['retention'], own.orchEnvironment)).code).toBe(2);
  } finally {
    await own.dispose();
  }
});
