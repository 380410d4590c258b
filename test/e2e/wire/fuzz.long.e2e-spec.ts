import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Secret } from '@app/kernel';
import { encodeForm } from '@app/gateway-protocol';
import { HOSTILE_ALPHABETS, wholeNumber } from '@app/testing';
import { freePort } from '../../support/processes/free-port';
import { outcomeOf } from '../../support/fuzz/answer-faults';
import { sendFuzzed, type FuzzRun } from '../../support/fuzz/fuzz-run';
import { fuzzedRequest, type FuzzTarget } from '../../support/fuzz/fuzzed-request';
import { GROUP_A_ROUTES } from '../../support/merchants/group-a-routes';
import { Merchant } from '../../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../../support/merchants/signed-requests';
import { SANDBOX_PRIVATE_KEY_FILE, SANDBOX_PUBLIC_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { heldMib } from '../../support/processes/resident-memory';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { ERROR_LEVEL, FIRST, GROWTH_MIB_MAX, IS_ORDINARY_RUN, SEED } from '../../support/fuzz/fuzz-settings';

/** 1,000,000 on demand (safety, B12). */
const COUNT = wholeNumber('FUZZ_REQUESTS', 10_000);
/** After this share the heap has its full size; later growth is a leak. */
const WARM_UP_SHARE = 0.5;
const MS_PER_REQUEST_MAX = 30;
const HEARD = {
  alias: 'heard',
  adapter: 'paynet',
  currencies: ['USD'],
  controlKey: SANDBOX_CONTROL_KEY,
  callbacks: true,
  upstream: { baseUrl: 'https://upstream.example/paynet', login: 'acme', endpoint: '1001' },
};
/** Fewer requests do not reach every outcome of every route. */
const COUNT_OF_A_WHOLE_RUN = 5_000;

jest.setTimeout(60_000 + COUNT * MS_PER_REQUEST_MAX);

let service: Service;
let acme: Merchant;
let target: FuzzTarget;

beforeAll(async () => {
  const callbackPort = await freePort();
  const configuration = sandboxConfiguration({
    ports: [callbackPort],
    acme: { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE },
    gates: [HEARD],
    whole: { callbacks: { speedFactor: 1 } },
  });
  service = await Service.start({ configuration, stores: 'files' });
  acme = new Merchant(service);
  // Enough orders of each kind for every operation, even if a new route changes the random choices.
  const sales = ['123', '123', '123', '123', '123', '116', '217'].map((cvv2) => acme.sale({ cvv2, amount: '1000.00' }));
  const preauths = Array<string>(16)
    .fill('123')
    .map((cvv2) => acme.post('preauth', acme.signedSale(acme.saleFields({ cvv2 }))));
  const orders = await Promise.all([...sales, ...preauths].map((answer) => acme.accepted(answer)));
  target = {
    login: 'acme',
    orders,
    cardRefIds: [await acme.registeredCard()],
    callbackUrl: `http://127.0.0.1:${callbackPort}/callback`,
    baseUrl: service.baseUrl,
    controlKey: new Secret(SANDBOX_CONTROL_KEY),
    privateKey: createPrivateKey(readFileSync(SANDBOX_PRIVATE_KEY_FILE)),
  };
}, 60_000);

afterAll(() => service.dispose());

let killedOver: string | undefined;
const mustLive = (): void => {
  if (killedOver !== undefined) throw new Error(`not asked: the service was killed over ${killedOver}`);
};

const outcomes = new Set<string>();

const run: FuzzRun = {
  seed: SEED,
  port: () => service.port,
  request: (number) => fuzzedRequest(SEED, number, target),
  outcomeOf,
  outcomes,
};

describe(`${COUNT} mutated requests, seed ${SEED} (safety, B12)`, () => {
  it('each get a valid response without 5xx, and the service keeps running and grows by 64 MiB at most', async () => {
    mustLive();
    const warmUp = Math.ceil(COUNT * WARM_UP_SHARE);
    expect(await sendFuzzed(run, FIRST, warmUp)).toStrictEqual([]);
    const warmMib = await heldMib(service.pid);
    expect(await sendFuzzed(run, FIRST + warmUp, COUNT - warmUp)).toStrictEqual([]);
    expect((await heldMib(service.pid)) - warmMib).toBeLessThan(GROWTH_MIB_MAX);

    // Every operation was carried out, refused for a field, and refused without authentication. Not all failed at the signature.
    const met = GROUP_A_ROUTES.flatMap(({ path, isOauth }) =>
      ['answered', 'code 1', isOauth ? '403' : 'code 2'].map((outcome) => `${path} ${outcome}`),
    );
    if (COUNT >= COUNT_OF_A_WHOLE_RUN && IS_ORDINARY_RUN) expect(met.filter((outcome) => !outcomes.has(outcome))).toStrictEqual([]);

    const order = await acme.approvedSale();
    expect((await acme.status(order)).fields).toMatchObject({ status: 'approved' });
    // Every line is JSON (safety, T31) and none reports a failure. One comparison per line would block longer than connections stay open.
    const lines = service.logLines();
    expect(lines.filter(({ level, event }) => typeof level !== 'number' || typeof event !== 'string')).toStrictEqual([]);
    expect(lines.filter(({ level }) => Number(level) >= ERROR_LEVEL)).toStrictEqual([]);
    expect(service.stderr).toBe('');
  });
});

describe('texts chosen to be slow to parse', () => {
  /** 64 KiB take 20 ms; the limit allows for transport and a busy machine. Quadratic time would take minutes. */
  const ANSWER_MS_MAX = 500;
  const TRIES_MAX = 8;
  /** A text that takes longer once is not tried again. */
  const GIVE_UP_MS = 5_000;
  /** A service still busy after this time may be so for hours, so it is killed. */
  const NO_ANSWER_MS = 10_000;
  /** Enough for a verdict, so that the run ends within minutes even if every text is slow. */
  const SLOW_MAX = 3;
  const LONGEST = 65_536;
  /** Unescaped length. It triples in the request's head, which may have 8 KiB. */
  const INVOICE_BYTES = 2_300;
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  let slowTexts = 0;

  // Compared by name, because errors from outside the tests' realm fail `instanceof`.
  const isTimeOver = (error: unknown): boolean => (error as Partial<Error>).name === 'TimeoutError';

  /** The shortest of a few attempts, because load can only lengthen one. Undefined if no answer came. */
  const quickest = async (path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined> => {
    let leastMs = Number.POSITIVE_INFINITY;
    const begunAt = performance.now();
    for (let round = 1; round <= TRIES_MAX && leastMs > ANSWER_MS_MAX && performance.now() - begunAt < GIVE_UP_MS; round++) {
      const sentAt = performance.now();
      try {
        const { status } = await service.request(path, { method: 'POST', headers, body, signal: AbortSignal.timeout(NO_ANSWER_MS) });
        leastMs = Math.min(leastMs, performance.now() - sentAt);
        expect(status).toBeLessThan(500);
      } catch (error) {
        if (isTimeOver(error)) return undefined;
        throw error;
      }
    }
    return leastMs;
  };
  const numbers = JSON.stringify(Array.from({ length: 8_000 }, () => ({ number: '4444333322221111' })));
  const escaped = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');
  const cutTo = (text: string, bytes: number): string => Buffer.from(text).subarray(0, bytes).toString('utf8').slice(0, -1);

  it.each(Object.entries(HOSTILE_ALPHABETS))('are answered as fast as others for merchants and unauthenticated senders: %s', async (name, make) => {
    mustLive();
    const text = make(LONGEST);
    const ofStranger = encodeForm([['client_orderid', 'a'], ['amount', '1'], ['credit_card_number', text]]);
    const ofMerchant = encodeForm(Object.entries(acme.signedSale(acme.saleFields({ order_desc: cutTo(text, LONGEST) }))));
    const slow: string[] = [];
    for (const [who, path, headers, body] of [
      ['a stranger with a card number', '/paynet/api/v2/sale/7777', FORM, ofStranger],
      ['a merchant with a description', '/paynet/api/v2/sale/1001', FORM, ofMerchant],
      ['a device with an invoice and many numbers', `/paynet/dapi/v1/sale/1001/${escaped(cutTo(make(INVOICE_BYTES), INVOICE_BYTES))}`, { 'content-type': 'application/json' }, numbers],
    ] as const) {
      const ms = await quickest(path, headers, body);
      if (ms !== undefined && ms <= ANSWER_MS_MAX) continue;
      slow.push(`${who}: ${ms === undefined ? `no answer within ${NO_ANSWER_MS} ms` : `${Math.round(ms)} ms`}`);
      if (ms !== undefined && ++slowTexts < SLOW_MAX) continue;
      killedOver = `"${name}", ${slow.at(-1)}`;
      await service.kill();
      break;
    }
    expect(slow).toStrictEqual([]);
  }); // prettier-ignore
});
