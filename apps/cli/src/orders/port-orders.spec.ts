import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { runOrch } from '../program';

const before = { ...process.env };
const A = { orderId: '1048506000', clientOrderId: 'inv-a', merchant: 'acme', amount: '10.42', currency: 'USD', status: 'approved' };
const ORDER = { ...A, stage: 'sale_approved', gate: 'sim-a', acceptedAt: '2026-11-27T08:00:00.000Z', followUps: [] };
const EVENT = { revision: 4, type: 'OrderApproved', knownAt: '2026-11-27T08:00:01.000Z', trueAt: '2026-11-27T08:00:00.500Z', actor: 'x' };
const ENTRY = {
  ...{ number: 1, at: '2026-11-27T08:00:00.000Z', category: 'payment', type: 'OrderAccepted', actor: 'acme' },
  ...{ claimedActor: null, causedBy: null, problem: null, data: { mode: 'test' } },
};
const TRIED = { kind: 'delivered', at: '2026-11-27T08:00:02.000Z', tryNumber: 1, httpStatus: 200 };
const DELIVERY = { deliveryId: 'd', tellsOf: 'OrderApproved', toldAt: '2026-11-27T08:00:01.000Z', status: 'delivered', steps: [TRIED] };

const ANSWERS: Readonly<Record<string, object>> = {
  '/orders/find?q=inv-a': { found: [{ by: ['client_orderid'], order: ORDER }] },
  '/orders/find?q=inv-a&merchant=acme&limit=5': { found: [{ by: ['client_orderid'], order: ORDER }], next: 'page-2' },
  '/orders/find?q=PNTEST-1': { found: [{ by: ['serial number, receipt or gate reference'], order: ORDER }] },
  '/orders/find?q=1048506000': {
    found: [
      { by: ['orderid'], order: ORDER },
      { by: ['client_orderid'], order: { ...ORDER, orderId: 'p0sample0order2r', clientOrderId: '1048506000' } },
    ],
  },
  '/orders/find?q=nothing': { found: [] },
  '/orders/find?q=new': { found: [], index: 'behind' },
  '/orders/1048506000': ORDER,
  '/audit/orders/1048506000?by=orderid': { trail: [ENTRY, { ...ENTRY, number: 2, category: 'operator', type: 'OperatorQueryAnswered' }] },
  '/audit/orders/1048506000/state?knownAt=2026-11-27T09%3A00Z': { eventsNow: 5, state: ORDER, events: [EVENT] },
  '/audit/orders/1048506000/why?field=status': {
    field: 'status',
    values: { status: 'approved' },
    before: { status: 'processing' },
    event: EVENT,
    causes: [{ kind: 'request', serial: 's-1' }],
  },
  '/audit/orders/1048506000/diff?from=1&to=4': {
    differences: [{ field: 'status', before: 'processing', after: 'approved', event: EVENT }],
  },
  '/orders/1048506000/deliveries': { deliveries: [DELIVERY] },
  '/orders/unknown?merchant=acme&limit=500': { orders: [ORDER], next: 'next' },
  '/orders/unknown?merchant=acme&cursor=next&limit=500': { orders: [] },
  '/audit/orders/unknown?knownAt=2026-11-27T09%3A00Z': { orders: [ORDER], untold: [], next: 'next' },
  '/audit/orders/unknown?knownAt=2026-11-27T09%3A00Z&after=next': { orders: [], untold: [] },
  '/orders/1048506000/hold': { isHeld: true },
};

let folder: string;
let asked: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orch-port-'));
  asked = [];
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL', 'ORCH_OPERATOR_TOKEN_FILE']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_OPERATOR_TOKEN: 'a-token', OPERATOR_HOST: '127.0.0.1', OPERATOR_PORT: '9' });
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, request) => {
    const path = (url as string).replace('http://127.0.0.1:9', '');
    asked.push(path);
    expect(request?.headers).toMatchObject({ authorization: 'Bearer a-token' });
    const answer = ANSWERS[path];
    return Promise.resolve(answer === undefined ? Response.json({ error: `nobody asks ${path}` }, { status: 400 }) : Response.json(answer));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

const orch = async (...words: readonly string[]) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  return { code: await runOrch(words, streams), out, problems };
};

const HEAD = 'order 1048506000, merchant acme, client_orderid inv-a\n10.42 USD, approved (sale_approved), at sim-a\n';
const LINE = '1048506000  acme  inv-a  10.42 USD  approved (sale_approved)  sim-a  2026-11-27T08:00:00.000Z';
const BY =
  'OrderApproved (revision 4) at 2026-11-27 08:00:01.000Z by our clock, so since 2026-11-27 08:00:00.500Z by the gate’s clock, by x\n';

describe('a read command with an operator token and no local store queries the running service', () => {
  it.each([
    [['show', 'inv-a'], `${HEAD}\n  1  2026-11-27T08:00:00.000Z  payment  OrderAccepted  acme\n     mode  test\n`],
    [['show', 'inv-a', '--known-at', '2026-11-27T09:00Z'], `${HEAD}recorded state at 2026-11-27 09:00:00.000Z: 1 of its 5 events\n\n${BY}`],
    [['find', 'PNTEST-1'], `${LINE}, found by serial number, receipt or gate reference\n`],
    [
      ['find', 'inv-a', '--merchant', 'acme', '--limit', '5'],
      `${LINE}, found by client_orderid\nthere are more: continue with --after page-2\n`,
    ],
    [['why', 'inv-a', 'status'], `status is approved, was processing\nby ${BY}  because of request s-1\n`],
    [
      ['diff', 'inv-a', '--from', '1', '--to', '4'],
      `from state after revision 1 to state after revision 4: 1 fields differ\n${BY}  status  processing → approved\n`,
    ],
    [
      ['deliveries', 'inv-a'],
      'd  about OrderApproved at 2026-11-27 08:00:01.000Z: delivered\n  2026-11-27 08:00:02.000Z  try 1: delivered, HTTP 200\n',
    ],
    [['unknown', 'list', '--merchant', 'acme'], `${LINE}\n`],
    [['unknown', 'list', '--known-at', '2026-11-27T09:00Z'], `${LINE}\n`],
    [['hold', 'inv-a', '--reason', 'Dispute 4711'], 'order 1048506000 is under legal hold\n'],
  ])('prints the result of %j', async (words, out) => {
    expect(await orch(...words)).toStrictEqual({ code: 0, out, problems: '' });
  });
});

describe('an order name resolved by the running service', () => {
  it('is rejected with exit code 2 if a single-order command matches several orders, and no further request is sent', async () => {
    for (const words of [
      ['why', '1048506000', 'status'],
      ['hold', '1048506000', '--reason', 'why'],
      ['erase', '--order', '1048506000', '--reason', 'why'],
    ]) {
      const { code, problems } = await orch(...words);
      expect(code).toBe(2);
      expect(problems).toContain('"1048506000" names 2 orders: orderid 1048506000 (client_orderid inv-a of acme), ');
    }
    expect(new Set(asked)).toStrictEqual(new Set(['/orders/find?q=1048506000']));
  });

  it('resolves to the matching order if its kind is given', async () => {
    await expect(orch('why', '--orderid', '1048506000', 'status')).resolves.toMatchObject({ code: 0 });
  });

  it.each([
    ['nothing', 3, 'no order "nothing"\n'],
    ['new', 1, 'no order "new" was found, but '],
  ])('without a match (%s) exits with %i', async (name, code, problem) => {
    const ended = await orch('show', name);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.problems).toContain(problem);
  });
});

describe('a read command that uses the local stores', () => {
  const readsStores = { code: 1, out: '' };

  it('reads them with --offline even if a token is given', async () => {
    const ended = await orch('show', 'inv-a', '--merchant', 'acme', '--offline');
    expect(ended).toMatchObject(readsStores);
    expect(ended.problems).toContain('no event log at');
  });

  it('reads them if they exist', async () => {
    const path = join(folder, 'events.sqlite');
    await (await EmbeddedEventStore.open({ path, clock: new VirtualClock(), scheduler: systemScheduler })).close();
    await expect(orch('show', 'inv-a', '--merchant', 'acme')).resolves.toMatchObject({ code: 3 });
  });

  it('exits with 1 and names both options if neither store nor token is given', async () => {
    delete process.env['ORCH_OPERATOR_TOKEN'];
    const ended = await orch('show', 'inv-a', '--merchant', 'acme');
    expect(ended).toMatchObject(readsStores);
    expect(ended.problems).toContain(
      'Set DATA_DIR to the folder of the service. To ask the running service instead, set ORCH_OPERATOR_TOKEN',
    );
  });

  afterEach(() => expect(asked).toStrictEqual([]));
});
