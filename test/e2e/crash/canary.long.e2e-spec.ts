import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@app/databases/sqlite';
import { seededRandom, wholeNumber } from '@app/testing';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { MerchantServer } from '../../support/devices/merchant-server';
import { Payer } from '../../support/merchants/payer';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service, type Environment } from '../../support/processes/service';
import { ByteScanner, type Hit, type Wanted } from '../../support/crash/canary/byte-scanner';
import { makeCanaries, type Canary } from '../../support/crash/canary/canaries';
import { CanaryService } from '../../support/crash/canary/canary-service';
import { ENCODING_NAMES, planted } from '../../support/crash/canary/encodings';
import { Phone } from '../../support/crash/canary/phone';
import type { Place } from '../../support/crash/canary/place';
import { PLACES } from '../../support/crash/canary/places';
import { scanFolder, scanRows } from '../../support/crash/canary/what-is-left';
import { nothingLeft } from '../../support/crash/findings/read-model-rows';

const SEED = wholeNumber('CRASH_SEED', 20_240);
/** Safety, B13: 100,000 on demand. */
const COUNT = Math.max(PLACES.length, wholeNumber('CANARY_COUNT', 1_000));
const TIMEOUT_MS = 120_000 + COUNT * 100;
const PUT_AT_ONCE = 12;
const PAGE_BYTES = 4_096;
const CVV_SHOWN = /(?:cvv2?|securityCode)["'\\]*\s*[=:]\s*["'\\]*\d{3,4}(?!\d)/gi;

interface Putting {
  readonly canary: Canary;
  readonly place: Place;
  readonly name: string;
}

const canaries = makeCanaries(COUNT, seededRandom(SEED));
const puttings: readonly Putting[] = canaries.map((canary, index) => {
  const place = PLACES[index % PLACES.length] as Place;
  return { canary, place, name: `${index + 1}: ${place.name}` };
});
const wantedOf = (which: readonly Putting[]): readonly Wanted[] => [
  ...which.map(({ canary, name }) => ({ text: canary.cardNumber, name: `card number, ${name}` })),
  ...which.map(({ canary, name }) => ({ text: canary.holder, name: `holder's name, ${name}` })),
];
const keys: readonly Wanted[] = [SANDBOX_CONTROL_KEY, SANDBOX_CONTROL_KEY.toLowerCase(), SANDBOX_CONTROL_KEY.replaceAll('-', '')].map(
  (text) => ({
    text,
    name: 'control key',
  }),
);
/** For stored data and logs, which may contain no wanted text. */
const anything = new ByteScanner([...wantedOf(puttings), ...keys]);
/** For data sent to merchants: the sender gets its own texts and the holder's name back (protocol decisions, section 6). */
const notGivenBack = new ByteScanner([
  ...puttings
    .filter(({ place }) => !place.isGivenBack)
    .map(({ canary, name }) => ({ text: canary.cardNumber, name: `card number, ${name}` })),
  ...keys,
]);

const told = (hits: readonly Hit[]): string[] => [
  ...new Set(hits.map(({ wanted, encoding, where, offset }) => `${where} at ${offset}: ${wanted.name}, ${encoding}`)),
];
const cvvsIn = (text: string, where: string): string[] =>
  [...text.matchAll(CVV_SHOWN)].map(({ index }) => `${where} at ${index}: a CVV with its name`);

describe('the scanner', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'orchestrator-planted-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds a planted canary in each of the 14 encodings (safety, section 5.6)', () => {
    expect(ENCODING_NAMES).toHaveLength(14);
    const [canary] = canaries;
    const text = canary?.cardNumber ?? '';
    for (const [index, encoding] of ENCODING_NAMES.entries()) {
      const around = Buffer.alloc(1_000 + index, '7');
      writeFileSync(join(folder, `${index}`), Buffer.concat([around, planted(text, encoding), Buffer.alloc(50, '.')]));
    }
    const found = scanFolder(anything, folder).map(({ where, encoding }) => ({ file: Number(where.slice(folder.length + 1)), encoding }));
    for (const [index, encoding] of ENCODING_NAMES.entries()) expect(found).toContainEqual({ file: index, encoding });
  });

  it.each(ENCODING_NAMES)('finds every canary encoded as %s', (encoding) => {
    const missed = canaries.filter(({ cardNumber }) => {
      const hits = anything.scan(Buffer.concat([Buffer.from('..'), planted(cardNumber, encoding), Buffer.from('..')]), 'here');
      return !hits.some(({ wanted, encoding: as }) => wanted.text === cardNumber && as === encoding);
    });
    expect(missed).toHaveLength(0);
  });

  it('finds a text that spans several database pages, and integers', async () => {
    const [first, second] = canaries;
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const db = openDatabase(join(dataDir, 'planted.sqlite'));
    db.exec('CREATE TABLE notes (text TEXT, number INTEGER)');
    const insert = db.prepare('INSERT INTO notes VALUES (?, ?)');
    for (let length = PAGE_BYTES - 200; length < PAGE_BYTES; length += 7) insert.run('x'.repeat(length) + first?.cardNumber, 1);
    insert.run('', BigInt(second?.cardNumber ?? 0));
    db.close();
    const found = new Set((await scanRows(anything, dataDir)).map(({ wanted }) => wanted.text));
    expect([...found].sort()).toStrictEqual([first?.cardNumber, second?.cardNumber].sort());
  });

  it('finds a request that a logger recorded', () => {
    const [canary] = canaries;
    const line = JSON.stringify({
      level: 20,
      body: `credit_card_number=${canary?.cardNumber}&cvv2=123&card_printed_name=${canary?.holder}`,
    });
    expect(told(anything.scan(Buffer.from(line), 'log'))).toHaveLength(2);
    expect(cvvsIn(line, 'log')).toHaveLength(1);
  });
});

describe(`card numbers, names, CVVs and keys at rest, in logs and in messages to merchants (safety, B13; ${COUNT} canaries, CRASH_SEED=${SEED})`, () => {
  let receiver: CallbackReceiver;
  let server: MerchantServer;
  let service: Service;
  let canaryService: CanaryService;
  let temporary: string;
  let stderr = '';
  let leaksAfterKill: string[];
  let leaksAfterStop: string[];
  let metrics: string;

  const environmentAt = (level: string): Environment => ({ LOG_LEVEL: level, TMPDIR: temporary });

  const putAll = async (which: readonly Putting[]): Promise<void> => {
    const waiting = [...which];
    const putter = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await next.place.put(next.canary, canaryService, next.name);
    };
    await Promise.all(Array.from({ length: PUT_AT_ONCE }, putter));
  };

  const leaksAtRest = async (): Promise<string[]> => [
    ...told([
      ...scanFolder(anything, service.dataDir),
      ...scanFolder(anything, temporary),
      ...scanFolder(anything, server.dataDir),
      ...(await scanRows(anything, service.dataDir)),
      ...(await scanRows(anything, server.dataDir)),
      ...anything.scan(Buffer.from(server.stdout + server.stderr), 'output of the merchant server'),
      ...anything.scan(Buffer.from(service.stdout), 'stdout'),
      ...anything.scan(Buffer.from(stderr + service.stderr), 'stderr'),
    ]),
    ...cvvsIn(service.stdout, 'stdout'),
    ...cvvsIn(server.stdout + server.stderr, 'output of the merchant server'),
    ...cvvsIn(stderr + service.stderr, 'stderr'),
  ];

  const putAndKill = async (which: readonly Putting[]): Promise<void> => {
    await putAll(which);
    const cards = which.filter(({ place }) => place.name.startsWith('card of a sale, '));
    const onTheWay = Promise.all(
      cards.map(({ canary, name }) => {
        const fields = { credit_card_number: canary.cardNumber, card_printed_name: canary.holder, cvv2: '217' };
        return canaryService.sale(name, fields);
      }),
    );
    await service.kill();
    await onTheWay;
    stderr += service.stderr;
    leaksAfterKill = await leaksAtRest();
  };

  const putAndStop = async (which: readonly Putting[]): Promise<void> => {
    await service.restart(environmentAt('trace'));
    await putAll(which);
    metrics = (await service.operatorRequest('/metrics')).body;
    await nothingLeft(service.dataDir);
    await service.stop();
    leaksAfterStop = await leaksAtRest();
  };

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    temporary = mkdtempSync(join(tmpdir(), 'orchestrator-canary-tmp-'));
    server = await MerchantServer.start({ environment: environmentAt('trace') });
    const endpoints = [
      { id: '1009', currency: 'USD', gates: ['sim-a'], maxAmount: '1000.00' },
      { id: '1004', currency: 'USD', gates: ['sim-a'] },
    ];
    const configuration = sandboxConfiguration({ ports: [receiver.port], acme: { merchantUrl: server.baseUrl }, endpoints });
    // On files, because their bytes are scanned.
    service = await Service.start({ configuration, environment: environmentAt('debug'), stores: 'files' });
    const merchant = new Merchant(service);
    const order = await merchant.approvedSale();
    const cardRefId = await merchant.registeredCard();
    canaryService = new CanaryService(
      service,
      merchant,
      new Payer(service),
      receiver,
      cardRefId,
      order,
      await Phone.signIn(service, server),
    );
    const half = Math.ceil(COUNT / 2);
    await putAndKill(puttings.slice(0, half));
    await putAndStop(puttings.slice(half));
  }, TIMEOUT_MS);

  afterAll(async () => {
    await receiver.stop();
    await service.dispose();
    await server?.dispose();
    rmSync(temporary, { recursive: true, force: true });
  });

  it('do not occur after a kill under load, at log level debug [W283]', () => {
    expect(leaksAfterKill).toStrictEqual([]);
  });

  it('do not occur after a stop, at log level trace', () => {
    expect(leaksAfterStop).toStrictEqual([]);
  });

  it('were sent in every field, and in accepted orders', () => {
    const untouched = PLACES.filter(({ name }) => !canaryService.answers.some((answer) => answer.name.endsWith(`: ${name}`)));
    expect(untouched.map(({ name }) => name)).toStrictEqual([]);
    const cards = canaryService.answers.filter(({ name }) => /: card of a sale(?: by group|, (?:approved|declined|unknown.*))$/.test(name));
    expect(cards.length).toBeGreaterThan(0);
    expect(cards.filter(({ text }) => !text.includes('type=async-response'))).toStrictEqual([]);
    const ofApps = canaryService.answers.filter(({ name }) =>
      /: card (?:of an app’s (?:verification|sale|transfer), (?:approved|declined|unknown|which|whose|an exp)|that an app’s)/.test(name),
    );
    expect(ofApps.length).toBeGreaterThan(0);
    expect(ofApps.filter(({ text }) => !text.includes('"token"'))).toStrictEqual([]);
  });

  it('do not occur in metrics', () => {
    expect(metrics).toContain('orchestrator_group_a_requests_total');
    expect(told(anything.scan(Buffer.from(metrics), 'metrics'))).toStrictEqual([]);
  });

  it('do not reach merchants, except in texts that they sent', () => {
    const callbacks = receiver.received.map(({ path, headers, body }) => `${path}\n${JSON.stringify(headers)}\n${body}`).join('\n');
    const answers = canaryService.answers.map(({ text }) => text).join('\n');
    expect(receiver.received.length).toBeGreaterThan(COUNT / 20);
    expect(canaryService.answers.length).toBeGreaterThan(COUNT / 2);
    expect(
      told([...notGivenBack.scan(Buffer.from(callbacks), 'callbacks'), ...notGivenBack.scan(Buffer.from(answers), 'answers')]),
    ).toStrictEqual([]);
  });
});
