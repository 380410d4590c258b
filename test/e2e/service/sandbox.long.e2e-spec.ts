import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WireServer } from '../../fakes/eventstoredb';
import { HttpClient } from '../../support/http/http-client';
import { Merchant } from '../../support/merchants/merchant';
import { orch, startOrch, type OrchEnded } from '../../support/processes/orch';
import { runPrintedLines } from '../../support/processes/printed-lines';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';

const CARD_NUMBERS = ['4444333322221111', '5555444433331111'];
const TOUR_TIMEOUT_MS = 180_000;
const VERB_TIMEOUT_MS = 60_000;
const REBUILT_ROWS = {
  'order-status': 13,
  'card-reference': 5,
  'gate-attempts': 13,
  'reconciliation-cases': 0,
  deliveries: 3,
  'open-work:orders': 0,
};

type Line = { readonly kind: string } & Readonly<Record<string, unknown>>;
const linesOf = (out: string): readonly Line[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const folders: string[] = [];
const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const anyPorts = { PORT: '0', OPERATOR_PORT: '0', MERCHANT_PORT: '0', CALLBACK_PORT: '0' };

describe.each(['a file', 'EventStoreDB'])('the tour, with its events in %s', (log) => {
  const DATA_DIR = freshFolder();
  const ORCH_CONFIG = join(DATA_DIR, 'sandbox.yaml');
  let wire: WireServer | undefined;
  let looking: Readonly<Record<string, string>>;
  let ended: OrchEnded;
  let lines: readonly Line[];
  const orders = (): readonly Line[] => lines.filter(({ kind }) => kind === 'order');

  beforeAll(async () => {
    wire = log === 'EventStoreDB' ? await WireServer.start() : undefined;
    const url = wire?.connectionString;
    looking = { DATA_DIR, ORCH_CONFIG, ...(url !== undefined && { EVENTSTORE_URL: url }) };
    ended = await orch(['--json', 'sandbox', '--once'], { ...anyPorts, DATA_DIR, ...(url !== undefined && { ESDB_URL: url }) });
    lines = linesOf(ended.out);
  }, TOUR_TIMEOUT_MS);
  afterAll(() => wire?.kill());

  it('ends as documented, with exit code 0', () => {
    const claims = lines.filter(({ kind }) => kind === 'claim');
    expect(ended).toMatchObject({ code: 0, problems: '' });
    expect(claims.filter(({ holds }) => holds !== true)).toStrictEqual([]);
    expect(lines.filter(({ kind }) => kind === 'step').map(({ title }) => title)).toStrictEqual([
      'Initial payment',
      'Merchant callback',
      'A declined payment',
      '3-D Secure',
      'An unknown outcome',
      'Card registration',
      'Card details',
      'Recurrent payment',
      'The same request again',
      'Order status',
      'A wrong checksum',
      'Preauth and capture',
      'Return',
      'Void',
      'A cascade',
      'Card registration, version 4',
      'A device verifies a card',
      'A device buys',
      'It buys again, by reference',
      'Money from card to card',
      'A wrong signature',
      'A change of the configuration',
      'What the log holds',
    ]);
    expect(claims).toHaveLength(61);
  });

  it('prints the events of five orders as in the log', () => {
    const stories = orders().map(({ events }) => (events as readonly { readonly type: string }[]).map(({ type }) => type));
    const approved = ['AttemptApproved', 'OrderApproved'];
    const returned = ['FollowUpAccepted', 'FollowUpStarted', 'FollowUpApproved'];
    expect(stories).toStrictEqual([
      ['OrderAccepted', 'AttemptStarted', ...approved, 'CallbackDelivered', 'CardReferenceIssued', ...returned, 'CardReferenceIssued'],
      ['OrderAccepted', 'AttemptStarted', 'PayerChallenged', 'PayerReturned', ...approved],
      ['OrderAccepted', 'AttemptStarted', 'AttemptUnknown', ...approved],
      ['OrderAccepted', 'AttemptStarted', 'AttemptDeclined', 'NextAttemptChosen', 'AttemptStarted', 'AttemptDeclined', 'OrderDeclined'],
      [
        'CardReferenceIssued',
        'OrderAccepted',
        'MerchantChecked',
        'FeesOffered',
        'FeeChosen',
        'OrderScreened',
        'AttemptStarted',
        'AttemptApproved',
        'CardReferenceIssued',
        'CardsMapped',
        'OrderApproved',
        'CallbackDelivered',
      ],
    ]);
  });

  it('prints and logs no card number', () => {
    const logs = [DATA_DIR, join(DATA_DIR, 'merchant-server')].map((folder) => readFileSync(join(folder, 'service.log'), 'utf8'));
    for (const number of CARD_NUMBERS) for (const text of [ended.out, ...logs]) expect(text).not.toContain(number);
  });

  it(
    'leaves an order that `orch show` finds by either id',
    async () => {
      const [sale] = orders();
      const byOrderId = await orch(['show', String(sale?.['orderId'])], looking);
      const byMerchant = await orch(['show', String(sale?.['clientOrderId']), '--merchant', 'acme'], looking);
      expect(byOrderId).toMatchObject({ code: 0, problems: '' });
      expect(byOrderId.out).toContain('callback delivered');
      expect(byMerchant.out).toBe(byOrderId.out);
      const unknown = await orch(['show', 'nothing'], looking);
      expect(unknown).toMatchObject({ code: 3, out: '' });
      expect(unknown.problems.trim().split('\n')).toStrictEqual([`no order "nothing" of acme in ${DATA_DIR}`]);
    },
    VERB_TIMEOUT_MS,
  );

  it(
    'leaves a log that `orch rebuild` projects into the same number of rows',
    async () => {
      const { code, out } = await orch(['--json', 'rebuild'], looking);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        parkedStreams: 0,
        projections: expect.arrayContaining(
          Object.entries(REBUILT_ROWS).map(([projection, rows]) => expect.objectContaining({ projection, rows }) as unknown),
        ) as unknown,
      });
    },
    VERB_TIMEOUT_MS,
  );
});

it(
  'a tour that keeps running prints commands that work unchanged',
  async () => {
    const environment = { ...anyPorts, DATA_DIR: freshFolder() };
    const { ran, ended } = await runPrintedLines(['sandbox'], environment, { last: '/health/ready', timeoutMs: TOUR_TIMEOUT_MS });
    expect(ran).toHaveLength(8);
    expect(ran.filter(({ stdout }) => stdout.trim() === '')).toStrictEqual([]);
    expect(ended.code).toBe(0);
  },
  TOUR_TIMEOUT_MS,
);

describe('a tour that fails', () => {
  it(
    'ends if the service exits',
    async () => {
      const ended = await orch(['sandbox', '--once'], { ...anyPorts, DATA_DIR: freshFolder(), FAILPOINT: 'P5' });
      expect(ended.code).toBe(1);
      expect(ended.problems).toContain('the service ended with code 137');
    },
    TOUR_TIMEOUT_MS,
  );

  it(
    "ends with the service's error if the service does not become ready",
    async () => {
      const DATA_DIR = freshFolder();
      writeFileSync(join(DATA_DIR, 'events.sqlite'), 'no event log '.repeat(1_000));
      const ended = await orch(['sandbox', '--once'], { ...anyPorts, DATA_DIR });
      expect(ended.code).toBe(1);
      expect(ended.problems).toContain(`the service did not become ready; its log is ${join(DATA_DIR, 'service.log')}\n`);
      expect(ended.problems).toContain(`${join(DATA_DIR, 'events.sqlite')} cannot be read, or is damaged`);
    },
    TOUR_TIMEOUT_MS,
  );
});

it(
  'a custom configuration is served until the service exits, and then ends with code 1',
  async () => {
    const DATA_DIR = freshFolder();
    const path = join(DATA_DIR, 'own.json');
    writeFileSync(path, JSON.stringify(sandboxConfiguration()));
    const { child, ended } = startOrch(['--json', 'sandbox', '--config', path], { ...anyPorts, DATA_DIR, FAILPOINT: 'P1' });
    const [line] = (await once(child.stdout ?? child, 'data')) as [string];
    const client = new HttpClient(() => (JSON.parse(line) as { readonly url: string }).url);
    await expect(new Merchant(client).sale()).rejects.toThrow();
    await client.close();
    const { code, problems } = await ended;
    const error = `the service ended with code 137; its log is ${join(DATA_DIR, 'service.log')}`;
    expect([code, JSON.parse(problems)]).toStrictEqual([1, { version: 1, error }]);
  },
  VERB_TIMEOUT_MS,
);
