import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  DESTINATION_CLIENT_CARD_ID,
  invoiceIdOf,
  ScriptedParties,
  ScriptedServer,
  SOURCE_CLIENT_CARD_ID,
  type Script,
} from '@app/device-client/testing';
import { systemScheduler, type Scheduler } from '@app/kernel';
import { eventually } from '@app/testing';
import { device, type DeviceOptions, type DeviceVerb } from './device';
import type { Output } from '../terminal';

const NUMBER = '4444333322221111';
const OTHER_NUMBER = '5555444433331111';
const CODE = '987';
const ANSWER_TIMEOUT_MS = 15_000;
/** Shortens pauses; the deadline of an exchange is unchanged. */
const QUICK: Scheduler = {
  after: (delayMs, run) => systemScheduler.after(delayMs < ANSWER_TIMEOUT_MS ? Math.min(delayMs, 2) : delayMs, run),
};
const CADENCE = { gapMsMin: 1, gapMsMax: 2, limitMs: 10_000, payerLimitMs: 10_000 };

class Person {
  readonly lines: string[] = [];
  readonly problems: string[] = [];
  readonly input = new PassThrough();
  asked = '';

  constructor(
    readonly isTerminal = false,
    readonly isJson = false,
  ) {}

  get output(): Output {
    return {
      paint: (_tone, text) => text,
      isJson: this.isJson,
      line: (text = '') => void this.lines.push(text),
      problem: (text) => void this.problems.push(text),
    };
  }

  get keyboard() {
    return { input: this.input, isTerminal: this.isTerminal, ask: (text: string) => void (this.asked += text) };
  }

  get seen(): string {
    return [...this.lines, ...this.problems, this.asked].join('\n');
  }

  async types(question: string, line: string, time = 1): Promise<void> {
    await eventually(() => this.asked.split(question).length > time);
    this.input.write(`${line}\n`);
  }
}

const CARD = { card: NUMBER, expiry: '12/2035', holder: 'JANE DOE', cvv: CODE };
const PAYMENT = { ...CARD, amount: '10.42' };

const opened: ScriptedParties[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((parties) => parties.close()));
});

interface Run {
  readonly verb: DeviceVerb;
  readonly options?: Partial<DeviceOptions>;
  readonly script?: Script;
  readonly person?: Person;
  readonly cadence?: typeof CADENCE;
}

const start = async ({ verb, options, script, person = new Person(), cadence = CADENCE }: Run) => {
  const parties = await ScriptedParties.open(script);
  opened.push(parties);
  const common = {
    gateway: parties.gateway.url,
    prefix: '/paynet',
    merchant: parties.merchant.url,
    serial: 'phone-1',
    email: 'jane@example.com',
  };
  const code = device(verb, { ...common, currency: 'USD', ...options }, person.output, {
    keyboard: person.keyboard,
    timing: { cadence, scheduler: QUICK },
  });
  return { parties, person, code };
};

const ended = async (run: Run) => {
  const { code, ...rest } = await start(run);
  return { ...rest, code: await code };
};

const performBody = ({ gateway }: ScriptedParties): unknown =>
  JSON.parse(gateway.received.find(({ path }) => path.endsWith(invoiceIdOf(1)))?.body ?? '');

describe('orch device', () => {
  it('verify prints the invoice, each state, the result and the ids of both cards', async () => {
    const { code, person } = await ended({
      verb: 'verify',
      options: CARD,
      script: { steps: [{ state: 'PROCESSING' }, { state: 'APPROVED' }] },
    });
    expect(code).toBe(0);
    expect(person.lines).toStrictEqual([
      `invoice    ${invoiceIdOf(1)} at endpoint 4711`,
      'accepted   by the gateway',
      'state      PROCESSING',
      'approved   at the bank PNTEST-1',
      `card       the source 444433… is from now on ${SOURCE_CLIENT_CARD_ID}`,
      `card       the destination 555544… is from now on ${DESTINATION_CLIENT_CARD_ID}`,
    ]);
    expect(person.problems).toStrictEqual([]);
  });

  it('sale with a card reference does not prompt for the security code', async () => {
    const person = new Person(true);
    const { code, parties } = await ended({ verb: 'sale', options: { card: SOURCE_CLIENT_CARD_ID, amount: '5.5' }, person });
    expect(code).toBe(0);
    expect(performBody(parties)).toMatchObject({
      transaction: { amountCentis: 550, currency: 'USD' },
      sourceOfFunds: { reference: { clientCardId: SOURCE_CLIENT_CARD_ID } },
    });
    expect(person.asked).not.toContain('code');
  });

  it('treats an all-digit value after the ref: prefix as a card reference', async () => {
    const { parties } = await ended({ verb: 'sale', options: { card: 'ref:123456789012', cvv: CODE, amount: '1' } });
    expect(performBody(parties)).toMatchObject({ sourceOfFunds: { reference: { clientCardId: '123456789012', securityCode: CODE } } });
  });

  it('sends the optional command-line values', async () => {
    const options = { ...PAYMENT, imei: '490154203237518', birthday: '31121990', description: 'Tea', product: 'acme' };
    const script: Script = { merchant: ({ path }) => (path.startsWith('/acme/') ? undefined : { text: '', status: 403 }) };
    const { person, parties } = await ended({ verb: 'sale', options, script });
    expect(parties.merchant.received.map(({ path }) => path)).toStrictEqual(['/acme/auth/request-access-token']);
    expect(person.problems[0]).toBe(
      'the merchant server serves nothing at this address (HTTP 404): check its address, --prefix for a gateway, --product for a merchant server',
    );
    const plain = await ended({ verb: 'sale', options: { ...options, product: undefined as never, accessToken: 't'.repeat(40) } });
    expect(plain.parties.merchant.received[0]?.path).toBe('/transfer/initiate-sale');
    expect(performBody(plain.parties)).toMatchObject({
      consumer: { device: { serialNumber: 'phone-1', imei: '490154203237518' }, birthDay: '31121990' },
      order: { description: 'Tea' },
      session: { accessToken: 't'.repeat(40) },
    });
  });

  it('prints the redirect URL and keeps polling', async () => {
    const { code, person } = await ended({
      verb: 'sale',
      options: PAYMENT,
      script: { steps: [{ state: 'REDIRECT_REQUEST' }, { state: 'APPROVED' }] },
    });
    expect(code).toBe(0);
    expect(person.lines).toContain('redirect   the payer authenticates at https://gateway.example/pay/1');
  });

  it('exits with 1 and prints the decline code if the payment is declined', async () => {
    const { code, person } = await ended({ verb: 'sale', options: PAYMENT, script: { steps: [{ state: 'DECLINED' }] } });
    expect(code).toBe(1);
    expect(person.lines.at(-1)).toBe('declined   order t0000000000000or, 10.42 USD, at the bank PNTEST-1, code 116, Not sufficient funds');
  });

  it('prints one JSON object per line with --json', async () => {
    const person = new Person(false, true);
    await ended({ verb: 'sale', options: PAYMENT, person });
    const objects = person.lines.map((line) => JSON.parse(line) as { kind: string });
    expect(objects.map(({ kind }) => kind)).toStrictEqual(['invoice', 'accepted', 'approved', 'card', 'card']);
    expect(objects[2]).toMatchObject({ state: 'APPROVED', orderId: 't0000000000000or', transaction: { amountCentis: 1_042 } });
    expect(objects[3]).toStrictEqual({ kind: 'card', use: 'source', bin: 444433, clientCardId: SOURCE_CLIENT_CARD_ID });
  });

  it('shows a single progress line on a terminal and erases it when done', async () => {
    const person = new Person(true);
    await ended({ verb: 'sale', options: PAYMENT, script: { steps: [{ state: 'PROCESSING' }, { state: 'APPROVED' }] }, person });
    expect(person.asked).toBe('\r\u001b[2KPROCESSING, 0 s\r\u001b[2K');
  });
});

describe('the fee of a transfer', () => {
  const script: Script = { steps: [{ state: 'TRANSFER_FEE_REQUEST' }, { state: 'APPROVED' }] };
  const options = { ...PAYMENT, to: OTHER_NUMBER };
  const completed = ({ gateway }: ScriptedParties) => gateway.received.flatMap(({ path }) => /\/(gate-[a-z]+)$/.exec(path)?.[1] ?? []);

  it.each([
    ['cheapest', 'gate-cheap'],
    ['gate-dear', 'gate-dear'],
  ])('--fee %s selects %s', async (fee, alias) => {
    const { code, parties, person } = await ended({ verb: 'transfer', options: { ...options, fee }, script });
    expect(code).toBe(0);
    expect(completed(parties)).toStrictEqual([alias]);
    expect(person.lines).toEqual(
      expect.arrayContaining([
        `invoice    ${invoiceIdOf(1)} at endpoint 4711, commission 2.00 to 2.50 USD`,
        'fees       gate-dear for 2.50 USD; gate-cheap for 2.00 USD',
        expect.stringMatching(`^chosen     ${alias} for`),
      ]),
    );
  });

  it('prompts for a fee on a terminal and prompts again after an invalid choice', async () => {
    const person = new Person(true);
    const { code, parties } = await start({ verb: 'transfer', options, script, person });
    await person.types('Which one? ', 'three');
    await person.types('Which one? ', '2', 2);
    expect(await code).toBe(0);
    expect(completed(parties)).toStrictEqual(['gate-cheap']);
    expect(person.asked).toContain('  1. gate-dear for 2.50 USD\n  2. gate-cheap for 2.00 USD\nWhich one? ');
  });

  it.each([
    ['ask', 'nobody is there to choose: --fee cheapest or --fee with an alias does'],
    ['gate-other', 'gate-other is not among the fees'],
  ])('--fee %s without a terminal selects no fee and exits with 1', async (fee, problem) => {
    const { code, parties, person } = await ended({ verb: 'transfer', options: { ...options, fee }, script });
    expect([code, completed(parties)]).toStrictEqual([1, []]);
    expect(person.problems).toStrictEqual([problem, 'no fee was chosen: the gateway ends the transfer in time, with nothing charged']);
  });

  it('refuses --fee cheapest if the fees are in different currencies', async () => {
    const fees = [
      { assignedId: 'a', commissionCentis: 100, currency: 'USD' },
      { assignedId: 'b', commissionCentis: 90, currency: 'EUR' },
    ];
    const steps = [{ state: 'TRANSFER_FEE_REQUEST' as const, more: { transferFeeList: fees } }];
    const { person } = await ended({ verb: 'transfer', options: { ...options, fee: 'cheapest' }, script: { steps } });
    expect(person.problems[0]).toBe('the fees are in several currencies: --fee with an alias chooses');
  });
});

describe('card data kept out of the process list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'device-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const sent = { number: NUMBER, securityCode: CODE, expiry: { month: 1, year: 2031 }, holder: { printedName: 'JANE DOE' } };
  const without = { expiry: '01/2031', holder: 'JANE DOE', amount: '10.42' };

  it('is typed at a prompt and not echoed', async () => {
    const person = new Person(true);
    const { code, parties } = await start({ verb: 'sale', options: without, person });
    await person.types('Card number, or its reference: ', '4444 3333 2222 1111');
    await person.types('Security code: ', CODE);
    expect(await code).toBe(0);
    expect(performBody(parties)).toMatchObject({ sourceOfFunds: { card: sent } });
    expect(person.seen).not.toMatch(/4444 ?3333|987/);
  });

  it('is read from standard input, one line per value, in the order --card, --to, --cvv', async () => {
    const person = new Person();
    person.input.end(`${NUMBER}\r\n${OTHER_NUMBER}\n${CODE}\n`);
    const { code, parties } = await ended({ verb: 'transfer', options: { ...without, card: '-', to: '-', cvv: '-' }, person });
    expect(code).toBe(0);
    expect(performBody(parties)).toMatchObject({
      sourceOfFunds: { card: sent },
      destinationOfFunds: { card: { number: OTHER_NUMBER } },
    });
  });

  it('is read from a file', async () => {
    const path = join(folder, 'card');
    writeFileSync(path, `${NUMBER}\n`, { mode: 0o600 });
    const { code, parties } = await ended({ verb: 'sale', options: { ...without, card: `@${path}`, cvv: CODE } });
    expect(code).toBe(0);
    expect(performBody(parties)).toMatchObject({ sourceOfFunds: { card: sent } });
  });

  it('is redacted in an error message of the gateway', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '31', message: `no card ${NUMBER}` };
    const { code, person } = await ended({ verb: 'sale', options: PAYMENT, script: { gateway: () => ({ json: { error } }) } });
    expect(code).toBe(1);
    expect(person.problems).toStrictEqual(['the gateway refuses: INVALID_REQUEST, [redacted] (error code 31)']);
  });
});

describe('orch device with invalid input, before anything is sent', () => {
  it.each<[DeviceVerb, Partial<DeviceOptions>, string]>([
    ['sale', CARD, '--amount is needed: how much'],
    ['sale', { ...PAYMENT, amount: '1,5' }, '--amount is in major units with a dot, at most two decimals: 10.42'],
    ['sale', { ...PAYMENT, expiry: '2035-12' }, '--expiry is a month and a year of four digits: 12/2035'],
    ['sale', { card: NUMBER, amount: '1' }, '--expiry is needed: of the card, as 12/2035'],
    ['sale', { amount: '1' }, '--card is needed: a card number or a reference; - takes a line of standard input, @path of a file'],
    [
      'sale',
      { ...PAYMENT, card: '@/nowhere/at-all' },
      '--card @/nowhere/at-all: a file of at most 4096 bytes that can be read is expected',
    ],
    ['transfer', PAYMENT, '--to is needed: a card number or a reference; - takes a line of standard input, @path of a file'],
    ['verify', { ...CARD, card: 'a-reference' }, 'a reference cannot be verified: --card is to be a card number'],
    ['sale', { ...PAYMENT, gateway: 'gateway.example' }, 'gateway must be an http or https address without query or fragment'],
  ])('%s %j fails with a one-line message', async (verb, options, message) => {
    const { code, parties } = await start({ verb, options });
    await expect(code).rejects.toThrow(expect.objectContaining({ name: 'CommandFailed', message }) as Error);
    expect([...parties.merchant.received, ...parties.gateway.received]).toStrictEqual([]);
  });

  it('fails if standard input ends before the card number', async () => {
    const person = new Person();
    person.input.end();
    await expect((await start({ verb: 'sale', options: { ...PAYMENT, card: '-' }, person })).code).rejects.toThrow(
      '--card -: standard input has no line for it',
    );
  });

  it.each<[Partial<DeviceOptions>, RegExp]>([
    [{ email: 'x' }, /^not sent: consumer\.email /],
    [{ card: '4444333322221112' }, /^not sent: sourceOfFunds\.card\.number /],
    [{ currency: 'dollars' }, /^not sent: transaction\.currency /],
    [{ amount: '0' }, /^not sent: transaction\.amountCentis /],
  ])('fails local validation of the request with %j', async (options, message) => {
    const { code, person, parties } = await ended({ verb: 'sale', options: { ...PAYMENT, ...options, accessToken: 'a'.repeat(40) } });
    expect(code).toBe(1);
    expect(person.problems).toStrictEqual([expect.stringMatching(message)]);
    expect([...parties.merchant.received, ...parties.gateway.received]).toStrictEqual([]);
  });
});

describe('orch device when a party fails', () => {
  it.each<[string, Script, RegExp]>([
    ['the merchant server does not respond', { merchant: () => 'cut' }, /^the connection to the merchant server broke before its answer/],
    [
      'it refuses without a word',
      { merchant: () => ({ text: '', status: 403 }) },
      /^the merchant server refuses without a word \(HTTP 403\)/,
    ],
    [
      'it refuses an invoice',
      {
        merchant: ({ method }) =>
          method === 'POST' ? { json: { error: { cause: 'FILTERED', code: '7', message: 'not\u001b[2J you' } }, status: 400 } : undefined,
      },
      /^the merchant server refuses: FILTERED, not\\u\{1b\}\[2J you \(error code 7\)$/,
    ],
    [
      'the gateway is in no order',
      {
        gateway: ({ path }) =>
          path.endsWith('/status') ? { json: { error: { cause: 'PROCESSING_FAILED', code: '8', message: 'no' } } } : undefined,
      },
      /^the gateway refuses: PROCESSING_FAILED, no \(error code 8\)$/,
    ],
  ])('prints the cause if %s', async (_case, script, problem) => {
    const { code, person } = await ended({ verb: 'sale', options: PAYMENT, script });
    expect(code).toBe(1);
    expect(person.problems).toStrictEqual([expect.stringMatching(problem)]);
  });

  it('reports an unknown outcome if the gateway is unreachable', async () => {
    const gone = await ScriptedServer.open(() => undefined);
    const { url } = gone;
    await gone.close();
    const { code, person } = await ended({ verb: 'sale', options: { ...PAYMENT, gateway: url } });
    expect(code).toBe(1);
    expect(person.problems).toStrictEqual([
      `the gateway cannot be reached (ECONNREFUSED); whether it took invoice ${invoiceIdOf(1)} in is not known`,
    ]);
  });

  it('exits with 1 and names the invoice if the order is still open after the time limit', async () => {
    const script: Script = { steps: [{ state: 'PROCESSING' }] };
    const { code, person } = await ended({ verb: 'sale', options: PAYMENT, script, cadence: { ...CADENCE, limitMs: 20 } });
    expect(code).toBe(1);
    expect(person.problems).toStrictEqual([`how invoice ${invoiceIdOf(1)} ends is not known yet`]);
  });
});
