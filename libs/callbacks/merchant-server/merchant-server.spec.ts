import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { StreamName } from '@app/event-store';
import { addMs, Secret, systemMonotonic, type Instant, type Scheduler } from '@app/kernel';
import { seededRandom } from '@app/testing';
import {
  checkSaleSignature,
  checkTransferSignature,
  checkVerificationSignature,
  isWebhookAuthentic,
  notificationSignature,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { ipRange } from '@app/configuration';
import { egressPolicyOf, openEgress, type Egress, type EgressOutcome } from '@app/http/client';
import { CheckCall, type CheckCallOutcome, type CheckedTransaction } from './check-call';
import { isAcknowledged, notificationRequest, type MappingNotification } from './notification-call';

const KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const OTHER_KEY = new Secret('00000000-0000-0000-0000-000000000001');
const TOKEN = '33333333-3333-4333-8333-333333333333';
const SOURCE = 'csample0reference00c';
const DESTINATION = 'dsample0reference00c';
const CARD_NUMBER = '4444333322221111';

const checked = (operation: DeviceOperation, given: Partial<CheckedTransaction> = {}): CheckedTransaction => ({
  operation,
  endpointId: '1001',
  invoiceId: 'inv/1 ?',
  serialNumber: 'SN-1',
  accessToken: 'a'.repeat(64),
  nonce: 'n'.repeat(64),
  signature: 'S'.repeat(40),
  token: TOKEN,
  ...given,
});

const SIGNATURES = {
  verification: checkVerificationSignature,
  sale: checkSaleSignature,
  transfer: checkTransferSignature,
} as const;

/** The answer of a correct server, before a test alters it. */
const honest = (transaction: CheckedTransaction, cards: { source?: string; destination?: string } = {}, key = KEY) => {
  const { operation, serialNumber, nonce, endpointId, invoiceId, token } = transaction;
  const signed = {
    serialNumber,
    nonce,
    endpointId,
    invoiceId,
    sourceServerCardId: cards.source,
    destinationServerCardId: cards.destination,
  };
  return {
    invoiceId,
    session: { checkSignature: SIGNATURES[operation](signed, key), nonce, token },
    ...(cards.source !== undefined && { sourceOfFunds: { reference: { serverCardId: cards.source } } }),
    ...(cards.destination !== undefined && { destinationOfFunds: { reference: { serverCardId: cards.destination } } }),
  };
};

type React = (response: ServerResponse) => void;
const answer =
  (status: number, body: string | object = '', headers: Record<string, string> = {}): React =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Deadlines are fired by the scripted server, not by a clock. */
const deadlines = new Map<() => void, number>();
const scheduler: Scheduler = {
  after: (delayMs, run) => {
    deadlines.set(run, delayMs);
    return { cancel: () => void deadlines.delete(run) };
  },
};
const letDeadlinePass: React = () => [...deadlines.keys()].forEach((run) => run());

const heard: { readonly method: string; readonly path: string; readonly type: string; readonly body: unknown }[] = [];
let react: React = answer(500);
let server: Server;
let egress: Egress;
let merchantUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      heard.push({ method: request.method ?? '', path: request.url ?? '', type: String(request.headers['content-type']), body });
      react(response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  merchantUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`;
  egress = openEgress({
    policy: egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: false }, false),
    monotonic: systemMonotonic,
    scheduler,
  });
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => void (heard.length = 0));

const random = seededRandom();
const ASKED = { correlation: '00000000-0000-0000-0000-0000000000a1' };

const check = (transaction: CheckedTransaction, reaction: React): Promise<CheckCallOutcome> => {
  react = reaction;
  return new CheckCall(egress, random).check(transaction, { merchantUrl, controlKeys: [KEY] }, ASKED);
};

describe("the gateway's check request (interface, sections 4.3 and 4.6)", () => {
  it.each([
    ['verification', {}],
    ['sale', { sourceOfFunds: { reference: { clientCardId: 'c-1' } } }],
    ['transfer', { sourceOfFunds: { reference: { clientCardId: 'c-1' } }, destinationOfFunds: { reference: { clientCardId: 'd-1' } } }],
  ] as const)(
    "check %s sends the app's values, the gateway's token and the invoice in one path segment (safety, T18) [W77, W80, W83, W104-106, W151]",
    async (operation, funds) => {
      const transaction = checked(operation, { sourceClientCardId: 'c-1', destinationClientCardId: 'd-1' });
      await check(transaction, answer(200, honest(transaction)));
      const { accessToken, nonce, signature, token } = transaction;
      expect(heard).toStrictEqual([
        {
          method: 'POST',
          path: `/acme/${operation}/inv%2F1%20%3F/check`,
          type: 'application/json',
          body: { consumer: { device: { serialNumber: 'SN-1' } }, session: { accessToken, nonce, signature, token }, ...funds },
        },
      ]);
    },
  );

  it('omits references if the app gave cards [W105]', async () => {
    const transaction = checked('transfer');
    await check(transaction, answer(200, honest(transaction)));
    expect(Object.keys(heard[0]?.body as object)).toStrictEqual(['consumer', 'session']);
  });
});

describe('a response with a valid signature (interface, section 5.3)', () => {
  it.each([
    ['verification', {}],
    ['sale', { source: SOURCE }],
    ['transfer', { source: SOURCE, destination: DESTINATION }],
    ['transfer', { destination: DESTINATION }],
  ] as const)('check %s with %j passes with an upper-case or lower-case signature [W112, W115, W143-145]', async (operation, cards) => {
    const transaction = checked(operation);
    const body = honest(transaction, cards);
    const lower = { ...body, session: { ...body.session, checkSignature: body.session.checkSignature.toLowerCase() } };
    const named = {
      ...('source' in cards && { source: { serverCardId: cards.source } }),
      ...('destination' in cards && { destination: { serverCardId: cards.destination } }),
    };
    for (const one of [body, lower])
      await expect(check(transaction, answer(200, one))).resolves.toStrictEqual({ kind: 'answered', answer: named });
  });

  it("returns the merchant's data, and card data only as secrets (safety, T32) [W113, W114]", async () => {
    const transaction = checked('transfer');
    const body = {
      ...honest(transaction, { source: SOURCE }),
      consumer: { email: 'kim@example.com' },
      transaction: { currency: 'USD', randomSumCentis: 111 },
      sourceOfFunds: {
        reference: { serverCardId: SOURCE },
        card: { number: CARD_NUMBER, expiry: { month: 12, year: 2030 }, holder: { printedName: 'KIM' } },
      },
      destinationOfFunds: { card: { number: CARD_NUMBER } },
      somethingElse: CARD_NUMBER,
    };
    const outcome = await check(transaction, answer(200, body));
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    const { source, destination, ...others } = outcome.answer;
    expect(others).toStrictEqual({ currency: 'USD', randomSumCentis: 111, email: 'kim@example.com' });
    expect([source?.serverCardId, source?.card?.reveal().number]).toStrictEqual([SOURCE, CARD_NUMBER]);
    expect(destination?.card?.reveal()).toStrictEqual({ number: CARD_NUMBER });
    expect(inspect(outcome, { depth: 10 }) + JSON.stringify(outcome)).not.toContain(CARD_NUMBER);
  });

  it('ignores a random sum of 0 [W522]', async () => {
    const transaction = checked('sale');
    const body = { ...honest(transaction), transaction: { currency: 'USD', randomSumCentis: 0 } };
    await expect(check(transaction, answer(200, body))).resolves.toStrictEqual({ kind: 'answered', answer: { currency: 'USD' } });
  });

  it('returns billing, birthday and IP addresses for a verification [W108]', async () => {
    const transaction = checked('verification');
    const known = { birthDay: '31121999', ipAddresses: ['192.0.2.1'] };
    const billing = { address: { city: 'Riga', country: 'LVA' }, phone: '1' };
    await expect(check(transaction, answer(200, { ...honest(transaction), consumer: known, billing }))).resolves.toMatchObject({
      kind: 'answered',
      answer: { ...known, billing },
    });
  });
});

const lie = (bend: (body: ReturnType<typeof honest>) => object, operation: DeviceOperation = 'sale'): React =>
  answer(200, bend(honest(checked(operation), { source: SOURCE })));

describe('a check without a valid response fails closed (protocol decisions, section 8) [W107, W116, W158, W420, W422, W425, W426]', () => {
  const error = (cause: string) => ({ error: { cause, code: '1', message: 'no' }, invoiceId: 'inv/1 ?' });

  it.each<[string, React, CheckCallOutcome]>([
    ['FILTERED', answer(400, error('FILTERED')), { kind: 'failed', cause: 'filtered' }],
    ['FILTERED with HTTP 200', answer(200, error('FILTERED')), { kind: 'failed', cause: 'filtered' }],
    ['INVALID_REQUEST', answer(400, error('INVALID_REQUEST')), { kind: 'failed', cause: 'refused' }],
    ['SERVER_FAILED', answer(500, error('SERVER_FAILED')), { kind: 'failed', cause: 'refused' }],
    ['SERVER_UNAVAILABLE', answer(503, error('SERVER_UNAVAILABLE')), { kind: 'failed', cause: 'refused' }],
    ['an empty 403', answer(403), { kind: 'failed', cause: 'refused' }],
    ['a redirect', answer(302, '', { location: '/elsewhere' }), { kind: 'failed', cause: 'refused' }],
    ['a right answer under another status', answer(500, honest(checked('sale'))), { kind: 'failed', cause: 'refused' }],
    ['an empty 200', answer(200), { kind: 'failed', cause: 'malformed-answer' }],
    ['200 KB', answer(200, `"${'x'.repeat(200_000)}"`), { kind: 'failed', cause: 'malformed-answer' }],
    ['HTML', answer(200, '<html></html>', { 'content-type': 'text/html' }), { kind: 'failed', cause: 'malformed-answer' }],
    ['a list', answer(200, '[]'), { kind: 'failed', cause: 'malformed-answer' }],
    ['a key twice', answer(200, '{"invoiceId":"1","invoiceId":"1"}'), { kind: 'failed', cause: 'malformed-answer' }],
    ['no HTTP', (response) => response.socket?.end('garbage\r\n\r\n'), { kind: 'failed', cause: 'malformed-answer' }],
    ['a compressed answer', answer(200, 'x', { 'content-encoding': 'gzip' }), { kind: 'failed', cause: 'malformed-answer' }],
    ['no session', lie(({ session: _, ...body }) => body), { kind: 'failed', cause: 'malformed-answer' }],
    ['a serverCardId over its length', lie((body) => ({ ...body, sourceOfFunds: { reference: { serverCardId: 'x'.repeat(65) } } })), { kind: 'failed', cause: 'malformed-answer' }], // prettier-ignore
    ['a signature of other values', lie((body) => ({ ...body, session: { ...body.session, checkSignature: 'A'.repeat(40) } })), { kind: 'failed', cause: 'wrong-signature' }], // prettier-ignore
    ['a signature under another key', answer(200, honest(checked('sale'), {}, OTHER_KEY)), { kind: 'failed', cause: 'wrong-signature' }],
    ['a card that the signature does not cover [W427]', lie((body) => ({ ...body, sourceOfFunds: { reference: { serverCardId: DESTINATION } } })), { kind: 'failed', cause: 'wrong-signature' }], // prettier-ignore
    ['a card left out that it covers [W427]', lie(({ sourceOfFunds: _, ...body }) => body), { kind: 'failed', cause: 'wrong-signature' }],
    ['a signature over another invoice, echoed', answer(200, honest(checked('sale', { invoiceId: 'inv-2' }))), { kind: 'failed', cause: 'wrong-signature' }], // prettier-ignore
    ['another invoiceId', lie((body) => ({ ...body, invoiceId: 'inv-2' })), { kind: 'failed', cause: 'contradiction' }],
    ['another nonce', lie((body) => ({ ...body, session: { ...body.session, nonce: 'm'.repeat(64) } })), { kind: 'failed', cause: 'contradiction' }], // prettier-ignore
    ['another token', lie((body) => ({ ...body, session: { ...body.session, token: 't'.repeat(36) } })), { kind: 'failed', cause: 'contradiction' }], // prettier-ignore
    ['a connection that breaks', (response) => response.socket?.destroy(), { kind: 'unreachable' }],
    ['silence until the deadline', letDeadlinePass, { kind: 'unreachable' }],
  ])('%s', async (_case, reaction, outcome) => {
    await expect(check(checked('sale'), reaction)).resolves.toStrictEqual(outcome);
    expect(heard).toHaveLength(1);
  });

  it.each<[EgressOutcome, CheckCallOutcome]>([
    [{ kind: 'refused-target', reason: 'port' }, { kind: 'unreachable' }],
    [{ kind: 'not-sent', cause: 'overloaded' }, { kind: 'unreachable' }],
    [{ kind: 'not-sent', cause: 'closed' }, { kind: 'unreachable' }],
    [
      { kind: 'not-sent', cause: 'malformed-request' },
      { kind: 'failed', cause: 'refused' },
    ],
    [{ kind: 'answer-too-large' }, { kind: 'failed', cause: 'malformed-answer' }],
  ])('maps %j to %j', async (sent, outcome) => {
    const call = new CheckCall({ send: () => Promise.resolve(sent) }, random);
    await expect(call.check(checked('sale'), { merchantUrl, controlKeys: [KEY] }, ASKED)).resolves.toStrictEqual(outcome);
  });

  it('times out 10 s after the call began (safety, F31)', async () => {
    const delaysMs: number[] = [];
    await check(checked('sale'), (response) => {
      delaysMs.push(...deadlines.values());
      answer(403)(response);
    });
    expect(delaysMs).toStrictEqual([10_000]);
  });

  it('is unreachable if the server is down', async () => {
    const call = new CheckCall(egress, random);
    const account = { merchantUrl: 'http://127.0.0.1:1', controlKeys: [KEY] };
    await expect(call.check(checked('sale'), account, ASKED)).resolves.toStrictEqual({ kind: 'unreachable' });
  });

  it('fails for any bytes that are not a signed response (safety, T40) [W426]', async () => {
    const call = new CheckCall({ send: () => Promise.resolve({ kind: 'answered', status: 200, body }) }, random);
    let body = '';
    const account = { merchantUrl, controlKeys: [KEY] };
    const bent = honest(checked('sale'), { source: SOURCE });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify({ ...bent, session: value })),
        ),
        async (text) => {
          body = text;
          expect((await call.check(checked('sale'), account, ASKED)).kind).toBe('failed');
        },
      ),
    );
  });
});

const NOW = 1_704_067_200_000 as Instant;
const ORDER = 'transfer-a' as StreamName;
const SECRET = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const UNSIGNED = { merchantUrl: 'https://shop.example/acme', callback: { method: 'post-json' } } as const;

const notification = (given: Partial<MappingNotification> = {}): MappingNotification => ({
  operation: 'transfer',
  endpointId: '1001',
  invoiceId: 'inv-1',
  nonce: 'n'.repeat(64),
  serialNumber: 'SN-1',
  accessToken: 'a'.repeat(64),
  token: TOKEN,
  source: { serverCardId: SOURCE, uniqueReferenceCardId: 100_000_001, bin: '444433' },
  ...given,
});

describe('a card mapping notification (interface, section 4.8) [W78, W81, W84, W129-131, W152]', () => {
  const sourceCard = { bin: 444433, reference: { serverCardId: SOURCE, uniqueReferenceCardId: 100_000_001 } };
  const common = {
    consumer: { device: { serialNumber: 'SN-1' } },
    session: { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64), token: TOKEN },
  };
  const destination = { serverCardId: DESTINATION, uniqueReferenceCardId: 100_000_002, bin: '555544' };

  it.each<[DeviceOperation, Partial<MappingNotification>, object]>([
    ['verification', {}, { ...common, reference: sourceCard.reference, sourceCard: { bin: 444433 } }],
    ['sale', {}, { ...common, sourceCard }],
    ['transfer', { destination }, { ...common, sourceCard, destinationCard: { bin: 555544, reference: { serverCardId: DESTINATION, uniqueReferenceCardId: 100_000_002 } } }], // prettier-ignore
  ])('is built for a %s [W531]', (operation, given, body) => {
    const request = notificationRequest(notification({ operation, ...given }), UNSIGNED, { order: ORDER, now: NOW, deadlineMs: 1_500 });
    expect(request).toMatchObject({
      method: 'POST',
      url: `https://shop.example/acme/${operation}/notification`,
      source: 'configuration',
      deadlineMs: 1_500,
    });
    expect(JSON.parse(request.body ?? '')).toStrictEqual(body);
    expect(request.headers).toStrictEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'webhook-timestamp': '1704067200',
    });
  });

  it("is signed over its body with the merchant's secret and keeps its id in every attempt for an order [W526]", () => {
    const account = { ...UNSIGNED, callback: { method: 'get', secret: SECRET } } as const;
    const at = (order: StreamName, now: Instant) => notificationRequest(notification(), account, { order, now });
    const [first, later] = [at(ORDER, NOW), at(ORDER, addMs(NOW, 60_000))];
    for (const [request, now] of [
      [first, NOW],
      [later, addMs(NOW, 60_000)],
    ] as const) {
      expect(isWebhookAuthentic(request.headers, request.body ?? '', SECRET, now)).toBe(true);
      expect(isWebhookAuthentic(request.headers, `${request.body} `, SECRET, now)).toBe(false);
    }
    expect(later.body).toBe(first.body);
    expect(later.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(later.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(at('transfer-b' as StreamName, NOW).headers['webhook-id']).not.toBe(first.headers['webhook-id']);
  });

  it('is acknowledged by a valid signature and the echoed values [W132, W133, W146, W409]', () => {
    const sent = notification();
    const { nonce, endpointId, invoiceId } = sent;
    const right = {
      invoiceId,
      session: { checkSignature: notificationSignature({ nonce, endpointId, invoiceId }, KEY), nonce, token: TOKEN },
    };
    const isAccepted = (body: object | string): boolean =>
      isAcknowledged(sent, typeof body === 'string' ? body : JSON.stringify(body), [KEY]);
    expect(isAccepted(right)).toBe(true);
    expect(isAcknowledged(sent, JSON.stringify(right), [new Secret('cd'.repeat(16)), KEY])).toBe(true);
    for (const wrong of [
      '',
      '{}',
      { error: { cause: 'SERVER_FAILED', code: '1', message: '' } },
      { ...right, invoiceId: 'inv-2' },
      { ...right, session: { ...right.session, nonce: 'm'.repeat(64) } },
      { ...right, session: { ...right.session, token: 't'.repeat(36) } },
      { ...right, session: { ...right.session, checkSignature: notificationSignature({ nonce, endpointId, invoiceId }, OTHER_KEY) } },
    ])
      expect([wrong, isAccepted(wrong)]).toStrictEqual([wrong, false]);
  });
});
