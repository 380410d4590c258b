import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyRing } from '@app/card-vault';
import { DeviceClient } from '@app/device-client';
import { Secret, type OrderId } from '@app/kernel';
import { WireServer } from '../../fakes/eventstoredb';
import { EMAIL, saleOrder, transferOrder, verificationOrder } from '../../support/devices/device-orders';
import { clientCardIdOf, ENDPOINT_OF, finalOf, QUICK_CADENCE, ThreeParties, type App } from '../../support/devices/three-parties';
import { CallbackReceiver, DELIVERED } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { TEST_CARD_NUMBER } from '../../support/merchants/signed-requests';
import { Payer } from '../../support/merchants/payer';
import { refusal } from '../../support/merchants/refusal';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { OTHER_CONTROL_KEY } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(240_000);

const folder = mkdtempSync(join(tmpdir(), 'cells-e2e-'));
const ANSWERED = [
  'status',
  'paynet-order-id',
  'amount',
  'currency',
  'name',
  'email',
  'last-four-digits',
  'bin',
  'receipt-id',
  'approval-code',
];

let receiver: CallbackReceiver;
let parties: ThreeParties;
/** The cell that the merchant comes from, and the one that it goes to. */
let from: Service;
let to: Service;
/** The log of the latter, on a server: it runs while the merchant is copied. */
let log: WireServer;
let acme: Merchant;
let other: Merchant;
let moved: Merchant;
let app: App;

type Suspended = 'suspended' | 'served';
let fromConfiguration: (state: Suspended) => object;
let toConfiguration: (state: Suspended) => object;

const file = (service: Service, name: string): string => join(service.dataDir, name);
const copyLog = (...more: readonly string[]): Promise<OrchEnded> =>
  orch(['--json', 'copy-log', '--from', file(from, 'events.sqlite'), '--to', log.connectionString, '--merchant', 'acme', ...more], {});
const copyVault = (more: Readonly<Record<string, string>> = {}): Promise<OrchEnded> => {
  const options = {
    '--from': file(from, 'vault.sqlite'),
    '--from-keys': file(from, 'vault-keyring.json'),
    '--to': file(to, 'vault.sqlite'),
    '--to-keys': file(to, 'vault-keyring.json'),
    '--log': file(from, 'events.sqlite'),
    '--merchant': 'acme',
    ...more,
  };
  return orch(['--json', 'copy-vault', ...Object.entries(options).flat()], {});
};
const said = ({ out }: OrchEnded): Readonly<Record<string, unknown>> => JSON.parse(out) as Record<string, unknown>;
const show = (service: Service, orderId: string, merchant = 'acme'): Promise<OrchEnded> =>
  orch(['show', orderId, '--merchant', merchant], service.orchEnvironment);
const answered = (fields: Fields): Status => Object.fromEntries(ANSWERED.map((name) => [name, fields[name]]));
const chargesOf = (orderId: string): number => {
  const ledger = from.ledger();
  try {
    return ledger.approvedChargesByOrder().get(orderId as OrderId) ?? 0;
  } finally {
    ledger.close();
  }
};

type Status = Readonly<Record<string, string | undefined>>;
type Fields = Readonly<Record<string, string>>;
interface Steps {
  readonly copiedTooEarly: OrchEnded;
  /** In the cell that the merchant leaves, where it is suspended. */
  readonly left: {
    readonly returned: number;
    readonly statuses: readonly Status[];
    readonly refused: readonly Fields[];
    readonly others: Accepted;
    readonly unknown: string | undefined;
  };
  readonly copied: { readonly log: OrchEnded; readonly vault: OrchEnded; readonly logAgain: OrchEnded; readonly vaultAgain: OrchEnded };
  readonly verified: OrchEnded;
  /** In the other cell, where it is still suspended. */
  readonly arrived: { readonly statuses: readonly Status[]; readonly stories: readonly string[]; readonly refused: Fields };
  readonly triesWhileSuspended: number;
  readonly charged: Accepted;
  readonly copiedTooLate: OrchEnded;
  readonly verifiedTooLate: OrchEnded;
}

/** What the merchant had before it moved. */
let orders: Readonly<Record<'approved' | 'declined' | 'captured' | 'recurring' | 'open', Accepted>>;
let unknown: Accepted;
/** Waits for its payer, who comes back to the former cell. */
let awaited: Accepted;
let payerPage = '';
let cardRefId = '';
let uniqueRef: string | undefined;
let deviceOrders: readonly string[] = [];
let clientCardId = '';
let before: readonly Status[] = [];
let stories: readonly string[] = [];
let theirs: Accepted;
/** Answers and runs of each step, in which tests look in any order. */
let step: Steps;
let keyed: readonly [fields: ReturnType<Merchant['signedSale']>, orderId: string | undefined];

const redirectOf = async (order: Accepted): Promise<string> => {
  const asked = await acme.statusWhen(order, (fields) => fields['redirect-to'] !== undefined, 'the page of the payer');
  return asked['redirect-to'] ?? '';
};
const deviceOrderId = async (invoiceId: string): Promise<string> =>
  (await acme.status({ clientOrderId: invoiceId })).fields['paynet-order-id'] ?? '';

const statusesOf = (merchant: Merchant): Promise<readonly Status[]> =>
  Promise.all(Object.values(orders).map(async (order) => answered((await merchant.status(order)).fields)));
const storiesOf = (service: Service): Promise<readonly string[]> =>
  Promise.all([...Object.values(orders).map(({ orderId }) => orderId), ...deviceOrders].map(async (id) => (await show(service, id)).out));

/** The steps of docs/scaling.md. */
const move = async (): Promise<Steps> => {
  const copiedTooEarly = await copyLog();
  await from.restart(undefined, fromConfiguration('suspended'));
  const triesBefore = receiver.at('/open').length;
  const refused = [(await acme.sale()).fields, (await acme.rebill(cardRefId)).fields];
  const { status } = (await acme.status(unknown)).fields;
  const returned = await parties.payer.authenticate(payerPage, 'hint');
  const left = {
    returned: returned.status,
    statuses: await statusesOf(acme),
    refused,
    others: await other.approvedSale(),
    unknown: status,
  };
  stories = await storiesOf(from);
  const copied = { log: await copyLog(), vault: await copyVault(), logAgain: await copyLog(), vaultAgain: await copyVault() };
  const verified = await copyLog('--verify-only');
  const arrived = { statuses: await statusesOf(moved), stories: await storiesOf(to), refused: (await moved.sale()).fields };
  const triesWhileSuspended = receiver.at('/open').length - triesBefore;
  receiver.behave(DELIVERED);
  await to.restart(undefined, toConfiguration('served'));
  const charged = await moved.approved(moved.rebill(cardRefId));
  const copiedTooLate = await copyLog();
  const verifiedTooLate = await copyLog('--verify-only');
  return { copiedTooEarly, left, copied, verified, arrived, triesWhileSuspended, charged, copiedTooLate, verifiedTooLate };
};

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  receiver.behave({ kind: 'status', status: 500 });
  parties = await ThreeParties.start({ parts: { ports: [receiver.port], whole: { cell: { number: 1, of: 2 } } } });
  from = parties.gateway;
  fromConfiguration = (state) => parties.configurationWith({ cell: { number: 1, of: 2 } }, { suspended: state === 'suspended' });
  toConfiguration = (state) => parties.configurationWith({ cell: { number: 2, of: 2 } }, { suspended: state === 'suspended' });
  acme = parties.merchant;
  other = new Merchant(from, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
  app = await parties.app(EMAIL);

  // The other cell has run before: it has its keys, its numbers, and the merchant as suspended. Both cells use one acquirer.
  const dataDir = join(folder, 'to');
  mkdirSync(dataDir, { mode: 0o700 });
  createKeyRing(join(dataDir, 'vault-keyring.json'), file(from, 'vault-keyring.json'));
  symlinkSync(file(from, 'simulator.sqlite'), join(dataDir, 'simulator.sqlite'));
  log = await WireServer.start();
  to = await Service.start({
    configuration: toConfiguration('suspended'),
    dataDir,
    environment: { EVENTSTORE_URL: log.connectionString },
  });
  moved = new Merchant(to);

  const approved = await acme.approvedSale();
  const captured = await acme.approved(acme.preauth());
  await acme.approvedFollowUp('capture', captured);
  const declined = await acme.accepted(acme.sale({ cvv2: '119' }));
  await acme.finalStatus(declined);
  const registered = await acme.createCardRef(approved);
  cardRefId = registered.fields['card-ref-id'] ?? '';
  uniqueRef = registered.fields['unq-card-ref-id'];
  const recurring = await acme.approved(acme.rebill(cardRefId));
  theirs = await other.approvedSale();
  const invoices: string[] = [];
  const onInvoice = ({ invoiceId }: { readonly invoiceId: string }): void => void invoices.push(invoiceId);
  finalOf(await app.session.run(verificationOrder(), { onInvoice }));
  const sold = await app.session.run(saleOrder(), { onInvoice });
  clientCardId = clientCardIdOf(sold);
  finalOf(await app.session.run(transferOrder(), { onInvoice, chooseFee: ([fee]) => fee }));
  deviceOrders = await Promise.all(invoices.map(deviceOrderId));
  const fields = acme.signedSale(acme.saleFields());
  keyed = [fields, (await acme.post('sale', fields, { headers: { 'idempotency-key': 'key-1' } })).fields['paynet-order-id']];
  // Its callback is refused until the merchant has moved.
  const open = await acme.approvedSale({ server_callback_url: receiver.url('/open') });
  await until(() => receiver.at('/open').length > 1, { what: 'tries of the open callback' });
  orders = { approved, declined, captured, recurring, open };
  awaited = await acme.accepted(acme.sale({ cvv2: '321', currency: 'EUR' }, { at: ENDPOINT_OF.secure }));
  payerPage = await redirectOf(awaited);
  unknown = await acme.accepted(acme.sale({ cvv2: '217' }));
  before = await statusesOf(acme);
  step = await move();
});

afterAll(async () => {
  await to?.dispose();
  await parties?.dispose();
  await receiver?.stop();
  await log?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it('a copy is refused while the cell that the merchant leaves works for it, and when the other one does: nothing is written over', () => {
  const why = (side: string) =>
    `acme is not suspended in the newest configuration on record of the ${side}: two cells would work on its orders`;
  expect([step.copiedTooEarly.code, step.copiedTooEarly.problems]).toStrictEqual([4, expect.stringContaining(why('source'))]);
  expect([step.copiedTooLate.code, step.copiedTooLate.problems]).toStrictEqual([4, expect.stringContaining(why('target'))]);
  expect([step.verifiedTooLate.code, said(step.verifiedTooLate)['outcome']]).toStrictEqual([1, 'differs']);
});

it('bad input is refused in one line, with an exit code', async () => {
  const refusedLog = async (...words: readonly string[]) => {
    const { code, out, problems } = await orch(
      ['copy-log', '--from', file(from, 'events.sqlite'), '--to', log.connectionString, ...words],
      {},
    );
    expect(out).toBe('');
    return [code, problems.trim()];
  };
  expect(await refusedLog('--verify-only', '--merchant', 'nobody')).toStrictEqual([3, '--merchant: nothing of "nobody" in the source']);
  expect(await refusedLog('--merchant', 'acme', '--stream', 'payment-1')).toStrictEqual([2, '--merchant and --stream exclude each other']);
  const refusedVault = async (more: Readonly<Record<string, string>>) => {
    const { code, out, problems } = await copyVault(more);
    expect(out).toBe('');
    return [code, (JSON.parse(problems) as { error: string }).error];
  };
  expect(await refusedVault({ '--merchant': 'nobody' })).toStrictEqual([3, '--merchant: nothing of "nobody" in the source']);
  expect(await refusedVault({ '--to': file(from, 'vault.sqlite') })).toStrictEqual([2, '--from and --to name the same vault']);
  expect(await refusedVault({ '--to': 'esdb://me:secret@host' })).toStrictEqual([2, '--to: expected is a path, file: or postgres://']);
  const nowhere = join(folder, 'nowhere.sqlite');
  expect(await refusedVault({ '--to': nowhere })).toStrictEqual([1, `--to: there is no vault at ${nowhere}`]);
  const events = file(from, 'events.sqlite');
  expect(await refusedVault({ '--to': events })).toStrictEqual([1, `--to: ${events} is no vault`]);
  const [ringCode, ringText] = await refusedVault({ '--to-keys': nowhere });
  expect([ringCode, ringText]).toStrictEqual([1, `--to-keys: key ring ${nowhere}: cannot be read (ENOENT)`]);
  const strange = join(folder, 'strange-ring.json');
  createKeyRing(strange);
  const [code, text] = await refusedVault({ '--to-keys': strange });
  expect([code, text]).toStrictEqual([4, expect.stringContaining('the two key rings have different service keys')]);
  const [wrongCode, wrongText] = await refusedVault({ '--to-keys': file(from, 'vault-keyring.json') });
  expect([wrongCode, wrongText]).toStrictEqual([4, expect.stringContaining('is not the one that this vault was written with')]);
});

describe('a suspended merchant', () => {
  it('is answered its statuses, and no request that would write: it may be repeated later', () => {
    expect(step.left.statuses).toStrictEqual(before);
    for (const fields of [...step.left.refused, step.arrived.refused]) expect(fields).toMatchObject({ type: 'error', 'error-code': '20' });
  });

  it('has none of its open work done, in either cell', () => {
    expect(step.triesWhileSuspended).toBe(0);
  });

  it('has a payer’s return refused, nothing charged: the order waits, and its page leads back to the former cell', async () => {
    expect(step.left.returned).toBe(503);
    const { status, 'redirect-to': page = '' } = (await moved.status(awaited)).fields;
    expect([status, page]).toStrictEqual(['processing', payerPage.replace(from.baseUrl, to.baseUrl)]);
    expect(chargesOf(awaited.orderId)).toBe(0);
    // What the gate made the payer's page of names the former cell, which is why open authentications are waited for.
    expect((await new Payer(to).open(page)).body).toContain(from.baseUrl);
  });

  it('leaves other merchants as they were', async () => {
    expect(step.left.others.orderId).toMatch(/^\d{10}$/);
    expect((await show(to, theirs.orderId, 'other')).code).toBe(3);
    expect(
      (await new Merchant(to, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' }).status(theirs)).fields,
    ).not.toHaveProperty('status');
  });
});

describe('the commands of a move', () => {
  it('copy the log of the merchant alone, and say what stays', () => {
    const { log, logAgain } = step.copied;
    expect([log.code, log.problems]).toStrictEqual([0, '']);
    expect(said(log)).toMatchObject({ outcome: 'equal', faults: [], merchant: 'acme', purpose: 'cell', hasSourceGoneOn: false });
    const categories = (said(log)['categories'] as readonly { readonly category: string }[]).map(({ category }) => category);
    const moving = ['payment', 'recurring', 'deviceVerification', 'transfer', 'cardReference', 'delivery', 'once'];
    expect(categories).toEqual(expect.arrayContaining(moving));
    expect(categories.filter((name) => ['serial', 'configuration', 'operator', 'reconciliation'].includes(name))).toStrictEqual([]);
    expect(said(log)['leftBehind']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ category: 'payment', why: 'other-merchants', streams: 2 }),
        expect.objectContaining({ category: 'serial', why: 'installation' }),
        expect.objectContaining({ category: 'configuration', why: 'installation' }),
      ]),
    );
    expect(said(logAgain)).toMatchObject({ outcome: 'equal', appended: 0 });
    expect(step.verified.code).toBe(0);
  });

  it('carry its cards and keys, once, and show no card number', () => {
    const { log, vault, vaultAgain } = step.copied;
    expect([vault.code, vault.problems]).toStrictEqual([0, '']);
    expect(said(vault)).toMatchObject({ outcome: 'equal', faults: [], cards: { held: 0 }, orderKeys: { held: 0 } });
    const { cards } = said(vault) as { readonly cards: { readonly carried: number } };
    expect(cards.carried).toBeGreaterThan(5);
    const again = { cards: { carried: 0, held: cards.carried }, cardIds: { carried: 0 }, orderKeys: { carried: 0 } };
    expect(said(vaultAgain)).toMatchObject({ outcome: 'equal', ...again });
    expect(vault.out + log.out).not.toContain(TEST_CARD_NUMBER);
  });

  it('bring every order as it was', () => {
    expect(step.arrived.statuses).toStrictEqual(before);
    // Events of different requests may change places in a copy, and times are told from the first.
    const lines = (all: readonly string[]) =>
      all.map((story) =>
        story
          .replaceAll(/ [+-]\d+\.\d{3} s /g, ' ')
          .split('\n')
          .sort(),
      );
    expect(lines(step.arrived.stories)).toStrictEqual(lines(stories));
    expect(stories.every((story) => story.includes('order accepted'))).toBe(true);
    expect(stories).toHaveLength(Object.keys(orders).length + 3);
  });
});

describe('a merchant that has moved', () => {
  it('gets the callback that was open once, from the new cell', async () => {
    await until(
      async () => (await orch(['deliveries', orders.open.orderId, '--json'], to.orchEnvironment)).out.includes('"delivered"') || undefined,
      {
        what: 'the delivery of the open callback',
      },
    );
    const tries = receiver.at('/open');
    expect(tries.filter(({ behaviour }) => behaviour === DELIVERED)).toHaveLength(1);
    expect(tries.at(-1)?.behaviour).toBe(DELIVERED);
    expect(new Set(tries.map(({ webhookId }) => webhookId)).size).toBe(1);
  });

  it('has its unknown outcome found out there, charged once', async () => {
    expect(await moved.finalStatus(unknown, 60_000)).toMatchObject({ status: 'approved' });
    expect(chargesOf(unknown.orderId)).toBe(1);
    // The other cell keeps what it knew.
    expect((await acme.status(unknown)).fields['status']).toBe(step.left.unknown);
  });

  it('charges the card by its reference, under a number that the other cell cannot give', async () => {
    expect((await moved.cardInfo(cardRefId)).fields).toMatchObject({ bin: '444433', 'last-four-digits': '1111' });
    const { charged } = step;
    expect(await moved.finalStatus(charged)).toMatchObject({ status: 'approved', email: 'john.smith@example.com' });
    const given = await Promise.all([1, 2, 3].map(() => other.approvedSale()));
    expect(given.map(({ serial }) => serial)).not.toContain(charged.serial);
    const number = (serial: string): bigint => BigInt(`0x${serial.replaceAll('-', '')}`);
    expect(number(charged.serial)).toBeGreaterThanOrEqual(2n ** 47n);
    expect(given.every(({ serial }) => number(serial) < 2n ** 47n)).toBe(true);
  });

  it('knows the same card again by its number', async () => {
    const { fields } = await moved.createCardRef(await moved.approvedSale());
    expect(uniqueRef).toMatch(/^u/);
    expect(fields['unq-card-ref-id']).toBe(uniqueRef);
    expect((await moved.createCardRef(orders.approved)).fields).toMatchObject({ 'card-ref-id': cardRefId, 'unq-card-ref-id': uniqueRef });
  });

  it('is answered a repeat as a repeat, and refused other content under a name that was used', async () => {
    const [fields, orderId] = keyed;
    expect((await moved.post('sale', fields)).fields).toMatchObject({ type: 'async-response', 'paynet-order-id': orderId });
    const again = await moved.post('sale', fields, { headers: { 'idempotency-key': 'key-1' } });
    expect(again.fields).toMatchObject({ type: 'async-response', 'paynet-order-id': orderId });
    const otherSale = moved.signedSale(moved.saleFields());
    expect((await moved.post('sale', otherSale, { headers: { 'idempotency-key': 'key-1' } })).fields).toMatchObject(
      refusal('7', 'Idempotency-Key'),
    );
    const changed = moved.signedSale(moved.saleFields({ client_orderid: orders.approved.clientOrderId, amount: '99.00' }));
    expect((await moved.post('sale', changed)).fields).toMatchObject(refusal('7', ''));
    expect(chargesOf(orders.approved.orderId)).toBe(1);
  });

  it('takes follow-ups of orders that came along', async () => {
    await moved.approvedFollowUp('return', orders.approved, { amount: '1.00', currency: 'USD', comment: 'one shoe' });
  });

  it('sells to a device by the name that its merchant server gave the card before', async () => {
    const settings = {
      gatewayUrl: to.baseUrl,
      merchantUrl: parties.server.baseUrl,
      device: { serialNumber: app.serialNumber },
      cadence: QUICK_CADENCE,
    };
    const client = new DeviceClient(settings);
    try {
      const run = await client
        .session(new Secret(app.accessToken))
        .run(saleOrder('123', { source: { reference: { clientCardId, securityCode: new Secret('123') } } }));
      expect(finalOf(run)).toMatchObject({ state: 'APPROVED' });
      expect(clientCardIdOf(run)).toBe(clientCardId);
    } finally {
      await client.close();
    }
  });
});
