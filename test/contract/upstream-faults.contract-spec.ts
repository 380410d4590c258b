import { encodeForm } from '@app/gateway-protocol';
import {
  close,
  drip,
  endlessly,
  held,
  hugeBody,
  hugeHeaders,
  malformedStatusLine,
  raw,
  redirect,
  refusedBaseUrl,
  reply,
  replyText,
  reset,
  silence,
  twice,
  type PeerAnswer,
} from '@app/gateway-adapters/client/testing';
import type { CallLimit, ChargeRequest, Gate, InquiryAnswer } from '@app/gateway-adapters/contract';
import { systemClock, systemMonotonic, systemScheduler } from '@app/kernel';
import { contractCharge } from '@app/testing';
import { ServedUpstream, type GateKeys } from './gates/served-upstream';

const SYSTEM_TIME = { clock: systemClock, monotonic: systemMonotonic, scheduler: systemScheduler };
/** Half of it is reserved for the answer. */
const WITHIN_MS = 1_000;
const HUGE_BYTES = 1_048_576;

const limit = (withinMs = WITHIN_MS): CallLimit => ({ withinMs, signal: AbortSignal.timeout(withinMs) });

let upstream: ServedUpstream;
beforeEach(async () => {
  upstream = await ServedUpstream.start();
});
afterEach(() => upstream.close());

const openGate = (keys: GateKeys = {}): Gate => upstream.gate({ pollSeconds: 0.05, connectSeconds: 0.5, ...keys }, SYSTEM_TIME);

const chargeAt = (gate: Gate, request: ChargeRequest) => {
  if (gate.charging === undefined) throw new Error('the gate charges');
  return gate.charging.charge(request, limit());
};

const inquireAt = (gate: Gate, { key, orderId, merchant, endpointId, amount }: ChargeRequest): Promise<InquiryAnswer> => {
  if (gate.inquiring === undefined) throw new Error('the gate is inquired');
  return gate.inquiring.inquire({ key, orderId, merchant, endpointId, amount }, limit());
};

const salesOf = ({ key }: ChargeRequest): number =>
  upstream.peer.requests.filter(({ path, body }) => path.includes('/sale/') && body.includes(`client_orderid=${key}`)).length;

const chargedThere = (request: ChargeRequest): readonly [asked: number, approved: number] => [
  salesOf(request),
  [...upstream.gateway.orders.values()].filter(({ status }) => status === 'approved').length,
];

const statusSaying =
  (change: (fields: Map<string, string>) => void): PeerAnswer =>
  (socket, request) => {
    const fields = new Map(new URLSearchParams(upstream.answer(request).body.replaceAll('\n', '')));
    change(fields);
    socket.write(replyText(encodeForm([...fields])));
  };

describe('an upstream gateway that has the order but does not confirm it', () => {
  it.each<[string, () => PeerAnswer]>([
    ['is silent', silence],
    ['drips its answer slowly and without end', () => drip(endlessly('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'))],
    ['resets the connection after the request', reset],
    ['closes the connection after the request', close],
    ['answers with a malformed status line', malformedStatusLine],
    [
      'answers with bytes that are no text',
      () => raw(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n\xff\xfe\x00\x01', 'latin1')),
    ],
    ['answers with a page', () => reply('<html>we are being maintained</html>')],
    ['answers with another content type and another form', () => reply('{"status":"approved"}', { contentType: 'application/json' })],
    ['answers with an empty body', () => reply('')],
    ['answers with an error of a proxy that reads like an approval', () => reply('type=status-response&status=approved', { status: 502 })],
    ['answers with a page and 403', () => reply('<html>Forbidden</html>', { status: 403 })],
    ['answers with a huge body', () => hugeBody(HUGE_BYTES)],
    ['answers with huge headers', () => hugeHeaders(HUGE_BYTES)],
    ['redirects us elsewhere', () => redirect('http://127.0.0.1:1/paynet/api/v2/sale/7001')],
  ])('receives a status inquiry and no second charge: %s', async (_, fault) => {
    upstream.peer.answers(upstream.losing(fault()));
    const gate = openGate();
    const request = contractCharge('approved');
    const charged = await chargeAt(gate, request);
    expect(['approved', 'unknown']).toContain(charged.kind);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });

  it('responds correctly under a wrong content type, and the response is accepted', async () => {
    upstream.peer.otherwise((socket, request) => {
      socket.write(replyText(upstream.answer(request).body, { contentType: 'image/png' }));
    });
    const gate = openGate();
    const request = contractCharge('approved');
    expect(await chargeAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });

  it('may respond after the inquiry without changing the result', async () => {
    const late = held(reply('type=async-response&status=processing'));
    upstream.peer.answers(upstream.losing(late));
    const gate = openGate();
    const request = contractCharge('approved');
    expect(await chargeAt(gate, request)).toStrictEqual({ kind: 'unknown', cause: 'timeout' });
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    late.release();
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });

  it('responds twice, and the second response is not taken for that of the next request', async () => {
    upstream.peer.answers(twice(upstream.honest));
    const gate = openGate();
    const request = contractCharge('approved');
    const charged = await chargeAt(gate, request);
    expect(['approved', 'unknown']).toContain(charged.kind);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });
});

describe('an upstream gateway whose status does not match the order', () => {
  it.each<[string, (fields: Map<string, string>) => void]>([
    ['of a wrong amount', (fields) => fields.set('amount', '10.43')],
    ['of another currency', (fields) => fields.set('currency', 'EUR')],
    ['of another of our orders', (fields) => fields.set('merchant-order-id', 'another')],
    ['of another of its own orders', (fields) => fields.set('paynet-order-id', '9999999999')],
    ['of a status that we do not know', (fields) => fields.set('status', 'reversed')],
    ['without a status', (fields) => fields.delete('status')],
  ])('neither approves nor declines the order: %s', async (_, change) => {
    const gate = openGate();
    const request = contractCharge('approved');
    const { peer } = upstream;
    peer.answers(upstream.honest).otherwise(statusSaying(change));
    expect(await chargeAt(gate, request)).toMatchObject({ kind: 'unknown' });
    peer.otherwise(upstream.honest);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });

  it('contradicts an earlier status, and both results are passed to the order', async () => {
    const gate = openGate();
    const request = contractCharge('approved');
    expect(await chargeAt(gate, request)).toMatchObject({ kind: 'approved' });
    upstream.peer.otherwise(
      statusSaying((fields) => {
        fields.set('status', 'declined');
        fields.set('error-code', '100');
      }),
    );
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'declined', code: 100 });
    expect(chargedThere(request)).toStrictEqual([1, 1]);
  });
});

describe('an upstream gateway that refuses with an HTTP status', () => {
  it('was not asked if it refuses the payment', async () => {
    upstream.peer.answers(reply('type=validation-error&error-code=4711', { status: 400 }));
    const request = contractCharge('approved');
    expect(await chargeAt(openGate(), request)).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(chargedThere(request)).toStrictEqual([1, 0]);
  });

  it('does not approve an order with status 400', async () => {
    upstream.peer.otherwise(reply('type=status-response&status=approved', { status: 400 }));
    expect(await chargeAt(openGate(), contractCharge('approved'))).toMatchObject({ kind: 'unknown' });
  });
});

describe('an upstream gateway that assigned an id to the order', () => {
  const statuses = () =>
    upstream.peer.requests.filter(({ path }) => path.includes('/status/')).map(({ body }) => new URLSearchParams(body).get('orderid'));

  it('is asked by that id in any process, and the id is recorded before the first inquiry [W506]', async () => {
    const taken: unknown[] = [];
    const request = contractCharge('approved');
    const gate = openGate();
    await gate.charging?.charge(request, {
      ...limit(),
      taken: (given) => {
        taken.push([given, statuses().length]);
        return Promise.resolve();
      },
    });
    expect(taken).toStrictEqual([[{ gateOrderId: '1000000000' }, 0]]);
    await openGate().inquiring?.inquire({ ...request, gateOrderId: '1000000000' }, limit());
    expect(new Set(statuses())).toStrictEqual(new Set(['1000000000']));
  });

  it('is asked without the id only until a status returns the id [W506]', async () => {
    upstream.peer.answers(upstream.losing(reset()));
    const request = contractCharge('unknown');
    await openGate().charging?.charge(request, limit());
    const [first, ...others] = statuses();
    expect([first, new Set(others)]).toStrictEqual(['', new Set(['1000000000'])]);
  });
});

describe('an unreachable upstream gateway', () => {
  it('was not asked and charged nothing if its host name is unknown', async () => {
    const request = contractCharge('approved');
    const gate = openGate({ upstream: { baseUrl: 'http://upstream.invalid/paynet' } });
    expect(await chargeAt(gate, request)).toStrictEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(chargedThere(request)).toStrictEqual([0, 0]);
  });

  it('was not asked and charged nothing if its port is closed', async () => {
    const request = contractCharge('approved');
    const gate = openGate({ upstream: { baseUrl: `${await refusedBaseUrl()}/paynet` } });
    expect(await chargeAt(gate, request)).toStrictEqual({ kind: 'not-asked', cause: 'unavailable' });
    expect(chargedThere(request)).toStrictEqual([0, 0]);
  });

  it('was not asked and charged nothing if its certificate is not trusted', async () => {
    const secure = await ServedUpstream.start({ tlsName: '127.0.0.1' });
    try {
      const gate = secure.gate({ pollSeconds: 0.05 }, SYSTEM_TIME);
      expect(await chargeAt(gate, contractCharge('approved'))).toStrictEqual({ kind: 'not-asked', cause: 'unavailable' });
      expect(secure.peer.requests).toStrictEqual([]);
      expect(secure.gateway.orders.size).toBe(0);
    } finally {
      await secure.close();
    }
  });
});
