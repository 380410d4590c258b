import { connect } from 'node:net';
import { Controller } from '@nestjs/common';
import { noFailpoints, Secret, type MerchantLogin, type OrderId } from '@app/kernel';
import type { GetCardInfoRequest } from '@app/gateway-protocol';
import { parseFormAnswer } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { OutcomeUnknown, StoreUnavailable, RequestDeadlines, type EventStore, type NewEvent, type StreamName } from '@app/event-store';
import { BODY_BUDGET_BYTES, processBodies } from '@app/http/server';
import { eventually, seededRandom, settle, VirtualClock } from '@app/testing';
import { type Admission, DecoyKeys, type RequestPorts, type ServedRequest } from '@app/http/request';
import { RATE_LIMIT, REQUEST_PORTS } from '@app/http/request/request.tokens';
import {
  type AdmittedRequest,
  Admitted,
  refused,
  type Answer,
  GroupAOperation,
  type Serves,
  type OAuthVerifier,
  type ControlVerifier,
  type Signed,
  SenderVerifier,
} from '@app/http/group-a';
import { openMerchantPort, type MerchantPort } from '../testing/merchant-port';

const deadlineClock = new VirtualClock();
const deadlines = new RequestDeadlines(deadlineClock, deadlineClock);

const SERIAL = '00000000-0000-0000-0000-000000000001';
const merchant = { login: 'acme' as MerchantLogin, controlKey: new Secret('k'), rebillControl: 'with-endpoint' as const };
const accounts = {
  entryPoint: () => ({ kind: 'endpoint', id: '1001', merchant: 'acme' }),
  merchant: () => merchant,
} as unknown as Accounts;

type Perform = (request: AdmittedRequest<GetCardInfoRequest>) => Promise<Answer>;
type IsSigned = (signed: Signed, key: Secret<string>) => boolean;

interface Operation {
  readonly isSigned: IsSigned;
  readonly perform: Perform;
}
const operation = (parts: Partial<Operation>): Operation => ({
  isSigned: () => true,
  perform: () => Promise.resolve({ kind: 'answer', pairs: [['type', 'get-card-info-response']] }),
  ...parts,
});
let current: Operation;

@Controller('api')
class CardInfoController implements Serves<'getCardInfo'> {
  @GroupAOperation('getCardInfo')
  getCardInfo(@Admitted() request: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    return current.perform(request);
  }
}

describe('a Group A request', () => {
  let port: MerchantPort;
  let admission: Admission = { kind: 'admitted' };
  const errors: unknown[] = [];
  const served: ServedRequest[] = [];
  const ports: RequestPorts = {
    serials: { next: () => SERIAL },
    clock: new VirtualClock(),
    random: seededRandom(),
    failpoints: noFailpoints,
    deadlines,
    listener: { served: (request) => served.push(request), failed: (_request, error) => errors.push(error) },
    configuration: { groupB: { httpErrors: 'always-200' } },
  };
  const controls: Pick<ControlVerifier, 'isSigned'> = { isSigned: (_text, signed, key) => current.isSigned(signed, key) };
  const decoyKeys = new DecoyKeys({ merchants: [merchant] });
  beforeAll(async () => {
    const given = [
      [REQUEST_PORTS, ports],
      [SenderVerifier, new SenderVerifier({ accounts, decoyKeys, controls, oauth: {} as OAuthVerifier, clock: ports.clock })],
      [RATE_LIMIT, { admit: () => Promise.resolve(admission) }],
    ] as const;
    port = await openMerchantPort(given, { controllers: [CardInfoController] });
  });
  afterAll(() => port.close());
  beforeEach(() => {
    errors.length = 0;
    served.length = 0;
    admission = { kind: 'admitted' };
  });

  const ask = async (body = 'login=acme&cardrefid=a&control=b', headers: Record<string, string> = {}, endpoint = '1001') => {
    const response = await fetch(`${port.url}/api/v2/get-card-info/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
    const retryAfter = response.headers.get('retry-after');
    const requestId = response.headers.get('x-request-id');
    return { status: response.status, retryAfter, requestId, fields: Object.fromEntries(parseFormAnswer(await response.text())) };
  };
  const bug = new Error('a secret detail');

  it.each([
    { failure: 'a bug before the operation', parts: { isSigned: (): boolean => { throw bug; } }, code: '99', outcome: 'internal' }, // prettier-ignore
    { failure: 'a bug in the operation', parts: { perform: () => Promise.reject(bug) }, code: '99', outcome: 'internal' },
    {
      failure: 'an unavailable store',
      parts: { perform: () => Promise.reject(new StoreUnavailable('x')) },
      code: '20',
      outcome: 'temporarily-unavailable',
    },
    {
      failure: 'a lost answer of the store',
      parts: { perform: () => Promise.reject(new OutcomeUnknown('x')) },
      code: '21',
      outcome: 'acceptance-unknown',
    },
  ])("returns code $code in the protocol's form for $failure [W246, W247]", async ({ parts, code, outcome }) => {
    current = operation(parts);
    const { status, fields } = await ask();
    expect(status).toBe(200);
    expect(fields).toMatchObject({ type: 'error', 'serial-number': SERIAL, 'error-code': code });
    expect(JSON.stringify(fields)).not.toContain('secret');
    expect(errors).toHaveLength(1);
    expect(served).toMatchObject([{ outcome }]);
  });

  it('is logged with its entry point and the order that it creates, returns or queries', async () => {
    const [orderId, other] = ['1000000001', '1000000002'] as [OrderId, OrderId];
    const answers: readonly Answer[] = [
      { kind: 'accepted', clientOrderId: 'c-1', orderId },
      { kind: 'answer', pairs: [['paynet-order-id', orderId]] },
      refused('unknown-order'),
    ];
    for (const answer of answers) {
      current = operation({ perform: () => Promise.resolve(answer) });
      await ask(`login=acme&cardrefid=a&control=b&orderid=${answer.kind === 'refused' ? orderId : other}`);
    }
    expect(served).toMatchObject(answers.map(() => ({ merchant: 'acme', entryPoint: '1001', orderId })));
  });

  it('is logged without entry point before authentication and without an orderid of another format', async () => {
    current = operation({ isSigned: () => false });
    await ask('login=acme&cardrefid=a&control=b&orderid=1000000001');
    current = operation({});
    await ask('login=acme&cardrefid=a&control=b&orderid=4444333322221111');
    expect(served).toHaveLength(2);
    expect(served[0]).not.toHaveProperty('entryPoint');
    for (const request of served) expect(request).not.toHaveProperty('orderId');
  });

  it.each(['100%31', '%zz', '%', '%ff', 'group/%zz'])(
    'returns 404 if its path contains an escape sequence: %s (decisions, D1.3)',
    async (endpoint) => {
      const { status } = await ask(undefined, {}, endpoint);
      expect([status, served]).toStrictEqual([404, []]);
    },
  );

  it('returns the client_orderid in an error raised before field validation (decisions, D4.5)', async () => {
    current = operation({
      isSigned: () => {
        throw bug;
      },
    });
    const { fields } = await ask('login=acme&cardrefid=a&control=b&client_orderid=inv-1');
    expect(fields).toMatchObject({ 'error-code': '99', 'merchant-order-id': 'inv-1' });
  });

  it("returns its serial-number in every response and passes the caller's trace to log and operation", async () => {
    const traces: unknown[] = [];
    current = operation({
      perform: ({ callerTrace }) => {
        traces.push(callerTrace);
        return callerTrace === undefined ? Promise.reject(bug) : Promise.resolve({ kind: 'answer', pairs: [] });
      },
    });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answered = await ask(undefined, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    const failed = await ask(undefined, { traceparent: `00-${traceId}-00f067aa0ba902b7-01-more` });
    const refused = await ask('login=acme');
    expect([answered, failed, refused].map(({ requestId }) => requestId)).toStrictEqual([SERIAL, SERIAL, SERIAL]);
    expect(traces).toStrictEqual([`${traceId}-01`, undefined]);
    expect(served).toMatchObject([{ outcome: 'answered', trace: traceId }, { outcome: 'internal' }, { outcome: 'malformed-field' }]);
    expect(served.slice(1).every((request) => !('trace' in request))).toBe(true);
  });

  it("returns code 20 with Retry-After above the merchant's rate limit (decisions, D3.9) [W229]", async () => {
    const performed = jest.fn();
    current = operation({ perform: performed });
    admission = { kind: 'limited', retryAfterMs: 1_001 };
    const { status, retryAfter, fields } = await ask();
    expect([status, retryAfter]).toStrictEqual([200, '2']);
    expect(fields).toStrictEqual({
      type: 'error',
      'serial-number': SERIAL,
      'error-message': 'Too many requests, nothing was accepted',
      'error-code': '20',
    });
    expect(performed).not.toHaveBeenCalled();
    expect([errors, served]).toMatchObject([[], [{ outcome: 'rate-limited', merchant: 'acme' }]]);
  });

  it('is verified against both forms of the signed text for an unknown merchant as for a wrong checksum (decisions, D5.4) [W496]', async () => {
    const tried: string[] = [];
    current = operation({
      isSigned: ({ form }, key) => {
        tried.push(`${form.text('cardrefid')} ${key.reveal().length}`);
        return false;
      },
    });
    for (const login of ['acme', 'unknown']) {
      tried.length = 0;
      expect((await ask(`login=${login}&cardrefid=a%0A&control=b`)).fields['error-code']).toBe('2');
      expect(tried).toStrictEqual(['a 1', 'a\n 1']);
      tried.length = 0;
      await ask(`login=${login}&cardrefid=a&control=b%0A`);
      expect(tried).toStrictEqual(['a 1']);
    }
  });

  it.each([
    ['20', 'nothing was sent to the log', (): Promise<unknown> => new Promise(() => undefined)],
    ['21', 'an append is under way', (append: () => Promise<unknown>): Promise<unknown> => append()],
  ])('returns within ten seconds if the store hangs: code %s if %s', async (code, _where, wait) => {
    const silent = { append: () => new Promise(() => undefined) } as unknown as EventStore;
    const log = deadlines.guarding(silent);
    const event = { metadata: `{"actor":"acme","causation":"${SERIAL}"}` } as NewEvent;
    const performed = jest.fn(async (): Promise<Answer> => {
      await wait(() => log.append('a-b' as StreamName, 'no_stream', [event]));
      return { kind: 'answer', pairs: [] };
    });
    current = operation({ perform: performed });
    const asking = ask();
    await eventually(() => performed.mock.calls.length === 1);
    await deadlineClock.advance(9_999);
    const { status, fields } = await asking;
    expect([status, fields['error-code'], fields['serial-number']]).toStrictEqual([200, code, SERIAL]);
    expect(errors).toHaveLength(1);
    await expect(log.append('a-b' as StreamName, 'no_stream', [event])).rejects.toThrow(StoreUnavailable);
  });

  it.each([
    ['an answer', (): Promise<Answer> => Promise.resolve({ kind: 'answer', pairs: [] })],
    ['an error', (): Promise<Answer> => Promise.reject(bug)],
  ])('ignores %s after the deadline response and releases the bytes of the body', async (_name, end) => {
    let release = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (release = resolve));
    const performed = jest.fn(async (): Promise<Answer> => {
      await waiting;
      return end();
    });
    current = operation({ perform: performed });
    const asking = ask();
    await eventually(() => performed.mock.calls.length === 1);
    await deadlineClock.advance(9_999);
    expect((await asking).fields['error-code']).toBe('20');
    expect(processBodies.held).toBe(0);
    release();
    await settle();
    expect(served).toMatchObject([{ outcome: 'temporarily-unavailable' }]);
    expect((await ask('login=acme')).fields['error-code']).toBe('1');
    expect(served).toHaveLength(2);
  });

  it('is neither answered nor logged and releases its bytes if the client disconnects during the upload', async () => {
    current = operation({});
    const { hostname, port: number } = new URL(port.url);
    const socket = connect(Number(number), hostname);
    const head = ['POST /api/v2/get-card-info/1001 HTTP/1.1', 'Host: a', 'Content-Type: application/x-www-form-urlencoded'];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: 100\r\n\r\nlogin=acme`);
    await eventually(() => processBodies.held > 0);
    socket.destroy();
    await eventually(() => processBodies.held === 0);
    await settle();
    expect([served, errors]).toStrictEqual([[], []]);
  });

  it('returns 413 and code 1 before authentication if its body exceeds the limit', async () => {
    const isSigned = jest.fn(() => true);
    current = operation({ isSigned });
    const large = await ask(`login=acme&x=${'1'.repeat(8_192)}`);
    expect(large.status).toBe(413);
    expect(large.fields).toMatchObject({ 'error-message': 'The request is larger than 8 KiB', 'error-code': '1' });
    expect(isSigned).not.toHaveBeenCalled();
    expect((await ask(`login=acme&x=${'1'.repeat(8_000)}`)).status).toBe(200);
  });

  it('returns 503 and code 20 while the body budget of the process is exhausted', async () => {
    const performed = jest.fn((): Promise<Answer> => Promise.resolve({ kind: 'answer', pairs: [] }));
    current = operation({ perform: performed });
    processBodies.take(BODY_BUDGET_BYTES, 1);
    const { status, retryAfter, fields } = await ask();
    processBodies.giveBack(BODY_BUDGET_BYTES);
    expect([status, retryAfter]).toStrictEqual([503, '1']);
    expect(fields).toMatchObject({ type: 'error', 'serial-number': SERIAL, 'error-code': '20' });
    expect([performed.mock.calls, errors, served]).toMatchObject([[], [], [{ outcome: 'no-room' }]]);
    expect((await ask()).status).toBe(200);
    expect(processBodies.held).toBe(0);
  });

  it("does not count against the merchant's rate limit if it is unauthenticated (safety, T35)", async () => {
    current = operation({ isSigned: () => false });
    admission = { kind: 'limited', retryAfterMs: 1 };
    const { retryAfter, fields } = await ask();
    expect([retryAfter, fields['error-code']]).toStrictEqual([null, '2']);
  });
});
