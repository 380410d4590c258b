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
import type { CallLimit, ChoiceNeeded, Gate, InquiryAnswer, TransferRequest } from '@app/gateway-adapters/contract';
import { Secret, systemClock, systemMonotonic, systemScheduler } from '@app/kernel';
import { contractTransfer } from '@app/testing';
import { ServedUpstream, type GateKeys } from './gates/served-upstream';

const SYSTEM_TIME = { clock: systemClock, monotonic: systemMonotonic, scheduler: systemScheduler };
/** Half of it is reserved for the answer. */
const WITHIN_MS = 1_000;
const HUGE_BYTES = 1_048_576;
const JSON_TYPE = { contentType: 'application/json' };

const limit = (): CallLimit => ({ withinMs: WITHIN_MS, signal: AbortSignal.timeout(WITHIN_MS) });

let upstream: ServedUpstream;
beforeEach(async () => {
  upstream = await ServedUpstream.start();
});
afterEach(() => upstream.close());

const openGate = (there: object = {}): Gate => {
  const keys: GateKeys = { pollSeconds: 0.05, connectSeconds: 0.5, upstream: { device: { endpoint: '7002', inGroupA: true }, ...there } };
  return upstream.gate(keys, SYSTEM_TIME);
};

const transferOf = (): TransferRequest => ({
  ...contractTransfer('approved'),
  texts: {
    payer: new Secret({ email: 'kim@example.com' }),
    purchase: new Secret({}),
    device: new Secret({ serialNumber: 'SN-1' }),
  },
});

const transferAt = (gate: Gate, request: TransferRequest) => {
  if (gate.transferring === undefined) throw new Error('the gate transfers');
  return gate.transferring.transfer(request, limit());
};

const inquireAt = (gate: Gate, { key, orderId, merchant, endpointId, amount }: TransferRequest): Promise<InquiryAnswer> => {
  if (gate.inquiring === undefined) throw new Error('the gate is inquired');
  return gate.inquiring.inquire({ key, orderId, merchant, endpointId, amount, isByDevice: true }, limit());
};

const performsOf = ({ key }: TransferRequest): number =>
  upstream.peer.requests.filter(({ path }) => path.endsWith(`/dapi/v1/transfer/7002/${key}`)).length;

type Members = Record<string, unknown>;

const statusSaying =
  (change: (answer: Members) => Members): PeerAnswer =>
  (socket, request) => {
    const { body, contentType } = upstream.answer(request);
    const isStatus = request.path.includes('/dapi/') && request.path.endsWith('/status');
    const said = isStatus ? JSON.stringify(change(JSON.parse(body) as Members)) : body;
    socket.write(replyText(said, { contentType }));
  };

describe('an upstream gateway that has the transfer but does not confirm it', () => {
  it.each<[string, () => PeerAnswer]>([
    ['is silent', silence],
    ['drips its answer without end', () => drip(endlessly('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x'))],
    ['resets the connection', reset],
    ['closes the connection', close],
    ['speaks no HTTP', malformedStatusLine],
    [
      'answers with bytes that are no text',
      () => raw(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n\xff\xfe\x00\x01', 'latin1')),
    ],
    ['answers with a page', () => reply('<html>we are being maintained</html>')],
    ['answers with a form', () => reply('type=async-response&status=approved')],
    ['answers with an empty body', () => reply('')],
    ['answers with an empty body and 403', () => reply('', { status: 403 })],
    ['answers with an empty body and 500', () => reply('', { status: 500 })],
    [
      'answers for another invoice',
      () => reply('{"invoiceId":"other","session":{"token":"0f7d3c1e-2222-4a4a-8b8b-333333333333"}}', JSON_TYPE),
    ],
    ['answers without a token', () => reply('{"invoiceId":"other"}', JSON_TYPE)],
    ['answers that it failed', () => reply('{"error":{"cause":"INTERNAL_ERROR","code":1,"message":""}}', { ...JSON_TYPE, status: 500 })],
    ['answers that it refused it', () => reply('{"error":{"cause":"INVALID_REQUEST","code":"1","message":""}}', JSON_TYPE)],
    ['answers with an error of another name', () => reply('{"error":{"cause":"TEAPOT"}}', { ...JSON_TYPE, status: 418 })],
    ['answers with more than it may', () => hugeBody(HUGE_BYTES)],
    ['answers with headers larger than they may be', () => hugeHeaders(HUGE_BYTES)],
    ['sends us elsewhere', () => redirect('http://127.0.0.1:1/paynet/dapi/v1/transfer/7002/1')],
  ])('receives a status inquiry and no second transfer: %s', async (_, fault) => {
    upstream.peer.answers(upstream.losing(fault()));
    const gate = openGate();
    const request = transferOf();
    expect(['approved', 'unknown']).toContain((await transferAt(gate, request)).kind);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved', commission: { minor: 25n } });
    expect([performsOf(request), upstream.gateway.orders.size]).toStrictEqual([1, 1]);
  });

  it('may respond after the inquiry without changing the result', async () => {
    const late = held(reply('{"invoiceId":"other"}'));
    upstream.peer.answers(upstream.losing(late));
    const gate = openGate();
    const request = transferOf();
    expect(await transferAt(gate, request)).toStrictEqual({ kind: 'unknown', cause: 'timeout' });
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    late.release();
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect([performsOf(request), upstream.gateway.orders.size]).toStrictEqual([1, 1]);
  });

  it('responds twice, and the second response is not taken for that of the next request', async () => {
    upstream.peer.answers(twice(upstream.honest));
    const gate = openGate();
    const request = transferOf();
    expect(['approved', 'unknown']).toContain((await transferAt(gate, request)).kind);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect([performsOf(request), upstream.gateway.orders.size]).toStrictEqual([1, 1]);
  });
});

describe('an upstream gateway whose status does not match the transfer', () => {
  it.each<[string, (answer: Members) => Members]>([
    ['of another amount', (answer) => ({ ...answer, transaction: { amountCentis: 1_043, currency: 'USD' } })],
    ['of another currency', (answer) => ({ ...answer, transaction: { amountCentis: 1_042, currency: 'EUR' } })],
    ['of another invoice', (answer) => ({ ...answer, invoiceId: 'another' })],
    ['of another session', (answer) => ({ ...answer, session: { token: '0f7d3c1e-2222-4a4a-8b8b-333333333333' } })],
    ['of a state that we do not know', (answer) => ({ ...answer, state: 'REVERSED' })],
    ['without a state', (answer) => ({ ...answer, state: undefined })],
    ['of a choice without fees', (answer) => ({ ...answer, state: 'TRANSFER_FEE_REQUEST', transferFeeList: [] })],
    ['of an internal error', () => ({ error: { cause: 'INTERNAL_ERROR', code: '1', message: '' } })],
    ['of an unknown order', () => ({ error: { cause: 'ORDER_NOT_FOUND', code: '1', message: '' } })],
  ])('neither approves nor declines the transfer: %s', async (_, change) => {
    const gate = openGate();
    const request = transferOf();
    upstream.peer.otherwise(statusSaying(change));
    expect(await transferAt(gate, request)).toMatchObject({ kind: 'unknown' });
    upstream.peer.otherwise(upstream.honest);
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect([performsOf(request), upstream.gateway.orders.size]).toStrictEqual([1, 1]);
  });

  it('approves the transfer if the following status is correct', async () => {
    const gate = openGate();
    const request = transferOf();
    let said = 0;
    upstream.peer.otherwise(statusSaying((answer) => (said++ === 0 ? { ...answer, state: 'PROCESSING' } : answer)));
    expect(await transferAt(gate, request)).toMatchObject({ kind: 'approved', commission: { minor: 25n, currency: 'USD' } });
    expect(said).toBe(2);
  });
});

describe('an upstream gateway whose device status has the outcome but whose order status does not agree', () => {
  it.each<[string, PeerAnswer]>([
    ['is silent', silence()],
    ['refuses to answer', reply('type=validation-error&error-code=4001', { status: 400 })],
    ['knows no such order', reply('type=validation-error&error-code=3')],
    ['is undecided', reply('type=status-response&status=processing')],
    ['contradicts it', reply('type=status-response&status=declined&error-code=100')],
    ['fails', reply('<html>', { status: 502 })],
  ])('concludes the transfer by the device status: the order status %s [W507]', async (_, orderStatus) => {
    const gate = openGate();
    const request = transferOf();
    upstream.peer.otherwise((socket, received) =>
      (received.path.includes('/api/v2/status/') ? orderStatus : upstream.honest)(socket, received),
    );
    const withinMs = 10_000;
    const answer = await gate.transferring?.transfer(request, { withinMs, signal: AbortSignal.timeout(withinMs) });
    expect(answer).toMatchObject({ kind: 'approved', transactionId: 'PNTEST-1000000000', commission: { minor: 25n, currency: 'USD' } });
    expect(answer).not.toHaveProperty('approvalCode');
  });

  it("declines the transfer with the device status's own code", async () => {
    const gate = openGate();
    upstream.peer.otherwise(statusSaying((answer) => ({ ...answer, state: 'DECLINED', errorCode: 116 })));
    expect(await transferAt(gate, transferOf())).toMatchObject({ kind: 'declined', code: 116 });
  });
});

describe('an upstream gateway that did not accept the transfer', () => {
  it('was not asked if it refuses the transfer and has no order', async () => {
    const request = transferOf();
    upstream.peer.answers(reply('{"error":{"cause":"INVALID_REQUEST","code":"1","message":""}}', { ...JSON_TYPE, status: 400 }));
    expect(await transferAt(openGate(), request)).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect([performsOf(request), upstream.gateway.orders.size]).toStrictEqual([1, 0]);
  });

  it('was not asked if it does not know the endpoint', async () => {
    const request = transferOf();
    const gate = openGate({ device: { endpoint: '7009', inGroupA: true } });
    expect(await transferAt(gate, request)).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(upstream.gateway.orders.size).toBe(0);
  });

  it('was not asked if its port is closed', async () => {
    const request = transferOf();
    const gate = openGate({ baseUrl: `${await refusedBaseUrl()}/paynet` });
    expect(await transferAt(gate, request)).toStrictEqual({ kind: 'not-asked', cause: 'unavailable' });
  });

  it('receives no transfer that violates the interface', async () => {
    const { texts: _texts, ...request } = transferOf();
    const device = new Secret({ serialNumber: 'x'.repeat(51) });
    const texts = { payer: new Secret({ email: 'kim@example.com' }), purchase: new Secret({}), device };
    expect(await transferAt(openGate(), { ...request, texts })).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(upstream.peer.requests).toStrictEqual([]);
  });

  it('receives no transfer without a device or without a CVV', async () => {
    const { texts: _texts, ...withoutDevice } = transferOf();
    const { cvv: _cvv, ...withoutCvv } = transferOf();
    for (const request of [withoutDevice, withoutCvv])
      expect(await transferAt(openGate(), request)).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(upstream.peer.requests).toStrictEqual([]);
  });
});

describe('an upstream gateway that lets the consumer choose a fee', () => {
  const FEES = [
    { assignedId: 'gate-a', commissionCentis: 40, currency: 'USD' },
    { assignedId: 'Gate B', commissionCentis: 25, currency: 'USD' },
  ];
  beforeEach(() => void (upstream.devices.fees = FEES));

  const offeredBy = async (gate: Gate, request: TransferRequest): Promise<ChoiceNeeded> => {
    const answer = await transferAt(gate, request);
    if (answer.kind !== 'choice-needed') throw new Error(`no choice: ${answer.kind}`);
    return answer;
  };
  const chooseAt = async (gate: Gate, request: TransferRequest, option: string) => {
    if (gate.choosing === undefined) throw new Error('the gate lets choose');
    const { session } = await offeredBy(gate, request);
    return gate.choosing.choose(request, { option, session }, limit());
  };
  const toldOf = ({ key }: TransferRequest): number =>
    upstream.peer.requests.filter(({ path }) => path.includes(`${key}/`) && !path.endsWith('/status')).length;

  it('offers its fees under names that our paths can carry', async () => {
    const request = transferOf();
    const { options } = await offeredBy(openGate(), request);
    expect(options).toEqual([
      { option: 'gate-a', commission: { minor: 40n, currency: 'USD' } },
      { option: 'fee-2', commission: { minor: 25n, currency: 'USD' } },
    ]);
    expect(await inquireAt(openGate(), request)).toStrictEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it.each([
    ['gate-a', 'gate-a'],
    ['fee-2', 'Gate B'],
  ])('receives the choice %s as %s once from any process, and completes the order', async (option, told) => {
    const request = transferOf();
    const { session } = await offeredBy(openGate(), request);
    expect(await openGate().choosing?.choose(request, { option, session }, limit())).toStrictEqual({ kind: 'told' });
    expect(upstream.devices.choices.get(request.key)).toBe(told);
    expect(await inquireAt(openGate(), request)).toMatchObject({ kind: 'approved' });
    expect([performsOf(request), toldOf(request)]).toStrictEqual([1, 1]);
  });

  it.each<[string, () => PeerAnswer]>([
    ['is silent', silence],
    ['resets the connection', reset],
    ['answers with an empty body', () => reply('')],
    ['answers with a page', () => reply('<html>', { status: 502 })],
    [
      'answers for another invoice',
      () => reply('{"invoiceId":"other","session":{"token":"0f7d3c1e-2222-4a4a-8b8b-333333333333"}}', JSON_TYPE),
    ],
    ['answers with more than it may', () => hugeBody(HUGE_BYTES)],
  ])('has the choice but does not confirm it, so that an inquiry finds the outcome: %s', async (_, fault) => {
    const gate = openGate();
    const request = transferOf();
    const { session } = await offeredBy(gate, request);
    upstream.peer.answers(upstream.losing(fault()));
    expect(await gate.choosing?.choose(request, { option: 'gate-a', session }, limit())).toMatchObject({ kind: 'unknown' });
    expect(await inquireAt(gate, request)).toMatchObject({ kind: 'approved' });
    expect(toldOf(request)).toBe(1);
  });

  it('receives no choice that it did not offer', async () => {
    const request = transferOf();
    expect(await chooseAt(openGate(), request, 'gate-x')).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(upstream.devices.choices.size).toBe(0);
  });

  it('refuses a choice after the first one, which stays in force', async () => {
    const request = transferOf();
    const { session } = await offeredBy(openGate(), request);
    const choose = (option: string) => openGate().choosing?.choose(request, { option, session }, limit());
    expect(await choose('gate-a')).toStrictEqual({ kind: 'told' });
    expect(await choose('fee-2')).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    expect(upstream.devices.choices.get(request.key)).toBe('gate-a');
    expect(await inquireAt(openGate(), request)).toMatchObject({ kind: 'approved' });
  });

  it('receives no choice for an invalid session or if it is unreachable', async () => {
    const request = transferOf();
    const { session } = await offeredBy(openGate(), request);
    const before = upstream.peer.requests.length;
    const forged = { option: 'gate-a', session: new Secret('{}') };
    expect(await openGate().choosing?.choose(request, forged, limit())).toStrictEqual({ kind: 'not-asked', cause: 'refused-by-gate' });
    const away = openGate({ baseUrl: `${await refusedBaseUrl()}/paynet` });
    expect(await away.choosing?.choose(request, { option: 'gate-a', session }, limit())).toStrictEqual({
      kind: 'not-asked',
      cause: 'unavailable',
    });
    expect(upstream.peer.requests.length).toBe(before);
  });
});
